/** Enters the organizations and prior answers of a world before its run. */
import type { SimulatedDatabase } from "./database/simulated-database.ts"
import { Incarnation } from "./incarnation.ts"
import {
  enter,
  FIRST_JOB_ORGANIZATION,
  JOBS_EACH,
  LAST_ORGANIZATION,
  organization,
  PURCHASES_EACH,
} from "./organizations.ts"
import { enterPriorAnswers } from "./prior-answers.ts"
import type { Random } from "./random.ts"
import { Scheduler } from "./scheduler.ts"

export interface ToEnter {
  readonly database: SimulatedDatabase
  readonly random: Random
  readonly purchases: number
  readonly jobs: number
  /** Milliseconds. */
  readonly start: number
}

/** On its own scheduler: the number of organizations must not change what happens afterwards. */
export function enterAll({ database, random, purchases, jobs, start }: ToEnter): void {
  const scheduler = new Scheduler(random, () => {})
  const life = new Incarnation("setup", random, scheduler, () => start)
  database.enter({ life, scheduler }, async ({ store, beside }) => {
    const many = Math.ceil(purchases / PURCHASES_EACH)
    const byJobs = jobs === 0 ? 0 : Math.ceil((jobs + 1) / JOBS_EACH)
    const jobBuyers = Array.from({ length: byJobs }, (_, at) => FIRST_JOB_ORGANIZATION + at)
    for (const index of [...Array(many).keys(), LAST_ORGANIZATION, ...jobBuyers]) {
      await enter(organization(index), index, { store, beside }, start)
    }
    await enterPriorAnswers({ store, database: beside }, start)
  })
}

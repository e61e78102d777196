/** What a buyer of a job does, decided by the seed and the job's number alone. */
import { jobPurchase, type Purchase } from "../purchase.ts"
import type { Random } from "../random.ts"

/**
 * `honest` keeps the rules. `impatient` sends everything many times. `careless` makes a mistake first and then does it right. `leaving` does
 * not go on. `both` offers the same signed request by x402 too. `late` funds shortly before the deadline. `refused` creates a job that no
 * rule permits. `resold` offers a signed request that another job offers.
 */
export type JobHabit = "honest" | "impatient" | "careless" | "leaving" | "both" | "late" | "refused" | "resold"
export type JobHabits = Readonly<Partial<Record<JobHabit, number>>>

export const MISTAKES = [
  "funds_early",
  "funds_nothing",
  "funds_twice",
  "other_budget",
  "other_wallet",
  "tampered",
  "other_job",
  "unsigned",
] as const
export type Mistake = (typeof MISTAKES)[number]

export const DEPARTURES = ["silent", "unfunded", "rejects_open", "rejects_funded", "rejects_late"] as const
export type Departure = (typeof DEPARTURES)[number]

export interface JobPlan {
  readonly index: number
  readonly name: string
  /** Virtual ms. */
  readonly arrivesAt: number
  readonly random: Random
  readonly habit: JobHabit
  readonly mistake: Mistake
  readonly departure: Departure
  /** Seconds from the head to the deadline. */
  readonly seconds: number
  readonly purchase: Purchase
  /** The index of the job whose signed request is offered again, of `resold`. */
  readonly resells: number
}

const HABITS: JobHabits = {
  honest: 0.3,
  impatient: 0.1,
  careless: 0.2,
  leaving: 0.13,
  both: 0.12,
  late: 0.07,
  refused: 0.03,
  resold: 0.05,
}
export const JOB_ARRIVAL_MEAN_MS = 4_000

/** The first `count` jobs of a run, `meanMs` apart on average. */
export function* jobPlans(
  random: Random,
  count: number,
  meanMs = JOB_ARRIVAL_MEAN_MS,
  habits: JobHabits = HABITS,
): Generator<JobPlan> {
  let at = 2_000
  for (let index = 0; index < count; index++) {
    const plan = planOf(random, index, habits)
    at += -Math.log(1 - plan.random.fraction()) * meanMs
    yield { ...plan, arrivesAt: at }
  }
}

/** The job of an honest buyer after all others, which begins at once. */
export function lastJob(random: Random, index: number): JobPlan {
  const plan = planOf(random, index, { honest: 1 })
  return { ...plan, seconds: 900, purchase: { ...plan.purchase, contends: null } }
}

function planOf(random: Random, index: number, habits: JobHabits): JobPlan {
  const purchase = jobPurchase(random, index)
  const own = purchase.random.stream("plan")
  const picked = pickHabit(own, habits)
  const habit = picked === "resold" && index === 0 ? "honest" : picked
  const isShort = habit === "late" || habit === "leaving"
  return {
    index,
    name: purchase.name,
    arrivesAt: 0,
    random: own,
    habit,
    mistake: own.pick(MISTAKES),
    departure: own.pick(DEPARTURES),
    seconds: isShort ? own.between(372, 480) : own.pick([480, 600, 900, 900]),
    purchase,
    resells: Math.max(0, index - own.between(1, 3)),
  }
}

function pickHabit(random: Random, habits: JobHabits): JobHabit {
  let left = random.fraction()
  for (const [habit, share] of Object.entries(habits)) {
    left -= share
    if (left < 0) return habit as JobHabit
  }
  return "honest"
}

/** Two instances serve jobs on one database, and one of them loses the database after each durable step of a job: the job is acted on once. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { MINUTE } from "../../src/core/time.ts"
import type { AcpDeps } from "../../src/jobs/deps.ts"
import { workRound } from "../../src/jobs/round.ts"
import type { Engine } from "../../src/store/engine/engine.ts"
import { PostgresStore } from "../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../src/store/engine/postgres/target-text.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { atLength, howMany } from "../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { newPostgresDatabase, type TestDatabase as Rows } from "../fixtures/postgres-schema.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { databaseAt, type TestDatabase } from "../fixtures/test-database.ts"
import { until } from "../fixtures/until.ts"
import { type DatabaseProxy, databaseProxy } from "../store/engine/postgres/database-proxy.ts"
import { finish, requireOnce, STEPS, upTo } from "./acted-once.ts"

const test = slowTests(import.meta.path)

const ROUNDS = 100
const COUNT = atLength(STEPS.length, ROUNDS)

describe.skipIf(!HAS_POSTGRES)(`two instances with jobs${NOT_RUN}`, () => {
  let rows: Rows
  let database: TestDatabase
  let way: DatabaseProxy
  let rail: JobRail
  let cut: AcpDeps
  beforeAll(async () => {
    rows = await newPostgresDatabase()
    database = databaseAt(rows.url)
    rail = await openJobRail({}, database)
    way = await databaseProxy(rows.url)
    // A cut costs a round a second and not eight.
    const store = new PostgresStore(readTarget(way.url), { deadlineMs: 300, patienceMs: 300, outcomePatienceMs: 300 })
    const engine = { workers: () => [] } as unknown as Engine
    cut = rail.depsOf(await rail.openServer({ ...database, open: async () => ({ engine, store }) }), "cut")
  }, 60_000)
  afterEach(() => rail.leaveJobs())
  afterAll(async () => {
    way.judge(() => "PASS")
    await rail.close()
    way.close()
    await rows.drop()
  }, 60_000)

  test(`each job is acted on once: ${howMany(ROUNDS, COUNT)} rounds`, async () => {
    let takenOver = 0
    for (let at = 0; at < COUNT; at++) {
      const [step, when] = STEPS[at % STEPS.length] as (typeof STEPS)[number]
      const job = await upTo(rail, when)
      let isCut = false
      const losing: AcpDeps = {
        ...cut,
        owner: `cut-${at}`,
        trace: (now) => {
          if (now !== step || isCut) return
          isCut = true
          way.judge(() => "LOSE")
        },
      }
      await until(`the instance comes to ${step}`, async () => {
        rail.machine.advance(10_000)
        await workRound(losing).catch(() => undefined)
        return isCut
      })
      const { leaseOwner } = await rail.job(job.jobId)
      if (leaseOwner === losing.owner) takenOver++
      rail.machine.advance(MINUTE)
      await finish(rail, job, { when, deps: rail.deps })
      way.judge(() => "PASS")
      for (let rounds = 0; rounds < 2; rounds++) await workRound(losing).catch(() => undefined)
      await rail.safe()
      await requireOnce(rail, job)
      expect([at, step, (await rail.job(job.jobId)).state]).toEqual([at, step, "COMPLETED"])
      await rail.leaveJobs()
    }
    if (process.env["BIZAUTH_SHOW"]) console.log({ rounds: COUNT, takenOver })
    expect(takenOver).toBeGreaterThan(0)
  }, 600_000)
})

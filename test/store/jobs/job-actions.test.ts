/** Several workers may judge the same transaction of an action at the same time. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { closeAction, findAction, openAction, openActions, reopenAction } from "../../../src/store/jobs/job-actions.ts"
import { recordJob } from "../../../src/store/jobs/jobs.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { AT, LATER } from "../money-rows.ts"

const ADDRESS = `0x${"1".repeat(40)}`
const FIRST = { job: "job_1", action: "SUBMIT", wallet: ADDRESS, nonce: 5 } as const

let database: TestStore
beforeEach(async () => {
  database = await newStore()
  await database.store.run(function* (): Unit<void> {
    const terms = { client: ADDRESS, provider: ADDRESS, evaluator: ADDRESS, hook: ADDRESS, expiredAt: 1 }
    yield* recordJob({ id: "job_1", chainId: 1, contract: ADDRESS, jobId: "1", createdBlock: "1", at: AT, ...terms })
    yield* openAction(FIRST, AT)
  })
})
afterEach(() => database.close())

const close = (nonce: number) => database.store.run(() => closeAction({ ...FIRST, nonce }, "REVERTED", LATER))

test("an action that was signed anew stays open for a worker that saw the failure of its earlier transaction", async () => {
  const { store } = database
  expect(await close(5)).toBe(true)
  expect(await store.run(() => reopenAction(FIRST, 6, LATER))).toBe(true)
  expect(await close(5)).toBe(false)
  expect(await store.read(() => openActions(ADDRESS))).toMatchObject([{ job: "job_1", nonce: 6 }])
  expect(await close(6)).toBe(true)
  expect(await store.read(() => findAction("job_1", "SUBMIT"))).toMatchObject({ nonce: 6, state: "REVERTED" })
})

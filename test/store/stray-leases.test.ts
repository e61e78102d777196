/** What becomes of the lease of a row when an error ends its turn. */
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test"
import { UNIT_STATEMENTS_MAX } from "../../src/store/engine/drive-unit.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { dropJobLease, takeDueJobs } from "../../src/store/jobs/job-leases.ts"
import { type StrayLeases, takeAfterStray, turn } from "../../src/store/stray-leases.ts"
import { newStore, type TestStore } from "../fixtures/new-store.ts"

const BUSY = new StoreUnavailable("BUSY")
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

let opened: TestStore
let store: Store
let stray: StrayLeases
beforeEach(async () => {
  opened = await newStore()
  store = opened.store
  stray = new Set()
  await opened.write(
    "INSERT INTO acp_job (id, chain_id, contract, job_id, client, provider, evaluator, hook, expired_at, created_block, state, look_at, created_at, updated_at) VALUES ('job', 1, '0x', 'job', '', '', '', '', 0, '0', 'SEEN', ?1, '', '')",
    at(0),
  )
})
afterEach(() => opened.close())

/** How many jobs a round of the owner takes at a minute, for five minutes. */
async function taken(owner: string, minute: number, own: StrayLeases = new Set()): Promise<number> {
  const rows = await takeAfterStray(store, own, {
    drop: (id) => dropJobLease(id, owner, at(minute)),
    take: () => takeDueJobs({ owner, until: at(minute + 5) }, at(minute), at(600)),
  })
  return rows.length
}

const fail = (error: Error) => turn(stray, "job", () => Promise.reject(error))

test("after a fault of the database the next round takes the row, also when rounds before it take nothing", async () => {
  expect(await taken("one", 1, stray)).toBe(1)
  await expect(fail(BUSY)).rejects.toBe(BUSY)
  const busy = spyOn(store, "run").mockRejectedValueOnce(BUSY)
  await expect(taken("one", 2, stray)).rejects.toBe(BUSY)
  busy.mockRestore()
  expect(await taken("one", 3, stray)).toBe(1)
})

test("after a bug the row waits until its lease ends", async () => {
  expect(await taken("one", 1, stray)).toBe(1)
  await expect(fail(new TypeError("bug"))).rejects.toThrow("bug")
  expect(await taken("one", 2, stray)).toBe(0)
  expect(await taken("one", 6, stray)).toBe(1)
})

test("a row that had its turn, or that another process has taken since, is not dropped", async () => {
  expect(await taken("one", 1, stray)).toBe(1)
  await turn(stray, "job", () => Promise.resolve())
  expect(await taken("one", 2, stray)).toBe(0)
  stray.add("job")
  expect(await taken("other", 6)).toBe(1)
  expect(await taken("one", 7, stray)).toBe(0)
})

test("more stray leases than a unit has statements do not stop the rounds: each drops some, and the last one takes the row", async () => {
  for (let n = 0; n < UNIT_STATEMENTS_MAX; n++) stray.add(`another ${n}`)
  stray.add("job")
  expect(await taken("one", 1)).toBe(1)
  const rounds: number[] = []
  while (rounds.at(-1) !== 1 && rounds.length < 20) rounds.push(await taken("one", 2, stray))
  expect([rounds.length, [...stray]]).toEqual([8, ["job"]])
})

import { afterEach, beforeEach, expect, test } from "bun:test"
import { instant } from "../../src/core/time.ts"
import { addRestore, declareBackupNewest, RESTORES_MAX, restores, voidBefore } from "../../src/store/restores.ts"
import { moneyStore } from "./money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const FIRST = "2026-11-20T10:00:00Z"
const SECOND = "2026-11-21T10:00:00Z"
const restoredAt = (restored_at: string) => ({
  backup_at: "2026-11-20T09:00:00Z",
  restored_at,
  newest_declared_at: null,
})
const add = (at: string) => store.run(() => addRestore(restoredAt(at)))

test("a database that was never restored has nothing void", async () => {
  expect(await store.run(restores)).toEqual([])
  expect(await store.run(voidBefore)).toBeNull()
})

test("what is older than the newest restore is void until the operator declares that the backup was the newest state", async () => {
  expect(await add(FIRST)).toBe(true)
  expect(await store.run(voidBefore)).toBe(instant(FIRST))
  expect(await add(SECOND)).toBe(true)
  expect(await store.run(voidBefore)).toBe(instant(SECOND))
  expect(await store.run(() => declareBackupNewest("2026-11-21T11:00:00Z"))).toBe(2)
  expect(await store.run(voidBefore)).toBeNull()
  expect((await store.run(restores)).map((one) => one.newest_declared_at)).toEqual([
    "2026-11-21T11:00:00Z",
    "2026-11-21T11:00:00Z",
  ])
})

test("a second declaration covers only later restores, and the first keeps its time", async () => {
  await add(FIRST)
  await store.run(() => declareBackupNewest("2026-11-20T11:00:00Z"))
  await add(SECOND)
  expect(await store.run(() => declareBackupNewest("2026-11-21T11:00:00Z"))).toBe(1)
  expect((await store.run(restores)).map((one) => one.newest_declared_at)).toEqual([
    "2026-11-20T11:00:00Z",
    "2026-11-21T11:00:00Z",
  ])
})

test("one restore more than the limit is not recorded", async () => {
  for (let number = 0; number < RESTORES_MAX; number++) expect(await add(FIRST)).toBe(true)
  expect(await add(SECOND)).toBe(false)
  expect(await store.run(restores)).toHaveLength(RESTORES_MAX)
})

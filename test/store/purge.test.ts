import { expect, test } from "bun:test"
import { purgeCounts } from "../../src/store/agent-mode/beacon-counters.ts"
import { purgeMailIn } from "../../src/store/mail/mail-in.ts"
import { PURGED_AT_ONCE } from "../../src/store/purge.ts"
import { newStore } from "../fixtures/new-store.ts"

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)

test("a purge removes the first rows that ended, a limited number at once, and no other", async () => {
  await using opened = await newStore()
  const { store } = opened
  const all = PURGED_AT_ONCE + 6
  // Inserted in the opposite order.
  for (let n = all; n >= 0; n--) {
    await opened.write("INSERT INTO beacon_count VALUES (?1, 'INTENT_CLOSED', '', 'http-api', 0, 1)", day(n))
    const lookAt = n === 3 ? day(n) : null
    const insert = "INSERT INTO mail_in (id, received_at, state, attempts, look_at) VALUES (?1, ?2, 'DONE', 0, ?3)"
    await opened.write(insert, `eml_${n}`, day(n), lookAt)
  }
  const left = async (column: string, table: string) =>
    (await opened.rows<Record<string, string>>(`SELECT ${column} FROM ${table} ORDER BY ${column}`)).map(
      (row) => row[column],
    )
  const end = day(all)
  expect(await store.run(() => purgeCounts(end))).toBe(PURGED_AT_ONCE)
  expect(await left("day", "beacon_count")).toEqual([64, 65, 66, 67, 68, 69, 70].map(day))
  expect(await store.run(() => purgeCounts(end))).toBe(6)
  expect(await store.run(() => purgeCounts(end))).toBe(0)
  expect(await left("day", "beacon_count")).toEqual([end])
  // A message that waits is not removed, however old it is.
  const before = day(all - 1)
  expect(await store.run(() => purgeMailIn(before))).toBe(PURGED_AT_ONCE)
  expect(await left("received_at", "mail_in")).toEqual([3, 65, 66, 67, 68, 69, 70].map(day))
  expect(await store.run(() => purgeMailIn(before))).toBe(5)
  expect(await store.run(() => purgeMailIn(before))).toBe(0)
  expect(await left("received_at", "mail_in")).toEqual([day(3), end])
})

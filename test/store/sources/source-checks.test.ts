import { expect, test } from "bun:test"
import { digestOf } from "../../../src/core/digest.ts"
import { activateImported } from "../../../src/store/sources/source-changes.ts"
import { recordConfirmed, recordUnmet, sourceCheck, sourceChecks } from "../../../src/store/sources/source-checks.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { EARLIER_ROW } from "../../fixtures/snapshot-judgement.ts"

const DAY_1 = "2026-11-20T12:00:00.000Z"
const DAY_2 = "2026-11-21T12:00:00.000Z"
const DAY_3 = "2026-11-22T12:00:00.000Z"
const FILES = { validators: '[{"name":"a.csv","etag":"\\"1\\""}]', marker: "m1" }
const SDN = "US_OFAC_SDN"

async function opened() {
  const own = await newStore()
  const { store } = own
  return {
    ...own,
    activate: (snapshotId: string, expected: string | null) =>
      store.run(() =>
        activateImported(
          {
            snapshotId,
            sourceId: SDN,
            sourceUrl: "https://lists.example/sdn",
            sourceVersion: snapshotId,
            sourceTimestamp: null,
            retrievedAt: DAY_1,
            parserVersion: "p/1",
            rawSha256: digestOf(snapshotId),
            partiesSha256: digestOf([snapshotId]),
            counts: "{}",
            ...EARLIER_ROW,
            entries: 5,
            files: "[]",
            findings: "[]",
            importedAt: DAY_1,
          },
          expected,
        ),
      ),
    read: () => store.read(() => sourceCheck(SDN)),
  }
}

const confirmed = (at: string, snapshotId: string, files: typeof FILES | null = FILES) =>
  recordConfirmed({
    ...{ sourceId: SDN, at, outcome: files ? "IMPORTED" : "NOT_MODIFIED", snapshotId, files },
    ...{ isPublisher: true, lastModified: null },
  })
const failed = (at: string) =>
  recordUnmet({ sourceId: SDN, at, outcome: "FAILED", code: "TIMED_OUT", detail: "no byte", retryAfterUntil: null })

test("a check of another snapshot than the active one is not recorded", async () => {
  await using testStore = await opened()
  expect(await testStore.store.run(() => confirmed(DAY_1, "a"))).toBe(false)
  await testStore.activate("a", null)
  expect(await testStore.store.run(() => confirmed(DAY_1, "a"))).toBe(true)
  await testStore.activate("b", "a")
  expect(await testStore.store.run(() => confirmed(DAY_2, "a"))).toBe(false)
  expect(await testStore.read()).toMatchObject({ checkedAt: DAY_1, checkedSnapshotId: "a" })
})

test("a failure keeps the confirmation and increases the count; a refusal or an answer resets the count", async () => {
  await using testStore = await opened()
  await testStore.activate("a", null)
  await testStore.store.run(() => confirmed(DAY_1, "a"))
  const first = await testStore.store.run(() => failed(DAY_2))
  const second = await testStore.store.run(() => failed(DAY_3))
  expect([first.failures, second.failures]).toEqual([1, 2])
  const kept = { checkedAt: DAY_1, checkedSnapshotId: "a", ...FILES }
  expect(await testStore.read()).toMatchObject({ outcome: "FAILED", code: "TIMED_OUT", attemptedAt: DAY_3, ...kept })
  const refusal = { sourceId: SDN, at: DAY_3, code: "SHRUNK", detail: null, retryAfterUntil: null }
  await testStore.store.run(() => recordUnmet({ ...refusal, outcome: "REFUSED" }))
  expect(await testStore.read()).toMatchObject({ outcome: "REFUSED", failures: 0, ...kept })
  await testStore.store.run(() => failed(DAY_3))
  await testStore.store.run(() => confirmed(DAY_3, "a"))
  expect(await testStore.read()).toMatchObject({ outcome: "IMPORTED", failures: 0, code: null, checkedAt: DAY_3 })
})

test("the publisher's news page updates the time of the check, not the time of its files", async () => {
  await using testStore = await opened()
  await testStore.activate("a", null)
  await testStore.store.run(() => confirmed(DAY_1, "a"))
  await testStore.store.run(() => confirmed(DAY_2, "a", null))
  expect(await testStore.read()).toMatchObject({ checkedAt: DAY_2, filesCheckedAt: DAY_1, ...FILES })
  expect(await testStore.store.read(sourceChecks)).toHaveLength(1)
})

test("a check of a source that was never imported can fail, and confirms nothing", async () => {
  await using testStore = await opened()
  await testStore.store.run(() => failed(DAY_1))
  expect(await testStore.read()).toMatchObject({
    failures: 1,
    checkedAt: null,
    checkedSnapshotId: null,
    validators: "[]",
  })
})

import { expect, test } from "bun:test"
import { digestOf } from "../../../src/core/digest.ts"
import {
  activateImported,
  dropOldSnapshots,
  recordRefusal,
  rollBackTo,
} from "../../../src/store/sources/source-changes.ts"
import {
  activeSnapshot,
  activeSnapshots,
  lastAttempt,
  type SnapshotRow,
  snapshotsOnDisk,
  sourceGeneration,
} from "../../../src/store/sources/sources.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { EARLIER_ROW } from "../../fixtures/snapshot-judgement.ts"

const AT = "2026-11-20T12:00:00.000Z"

function snapshot(snapshotId: string, given: Partial<SnapshotRow> = {}): Omit<SnapshotRow, "state"> {
  const { state: _, ...row }: SnapshotRow = {
    snapshotId,
    sourceId: "US_OFAC_SDN",
    sourceUrl: "https://lists.example/sdn",
    sourceVersion: "v1",
    sourceTimestamp: null,
    retrievedAt: AT,
    parserVersion: "p/1",
    rawSha256: digestOf(snapshotId),
    partiesSha256: digestOf([snapshotId]),
    counts: "{}",
    ...EARLIER_ROW,
    entries: 5,
    files: "[]",
    findings: "[]",
    importedAt: AT,
    state: "ACTIVE",
    ...given,
  }
  return row
}

async function opened() {
  const own = await newStore()
  const { store } = own
  return {
    ...own,
    active: async () => (await store.read(() => activeSnapshot("US_OFAC_SDN")))?.snapshotId ?? null,
  }
}

test("an import judged against another snapshot than the active one changes nothing", async () => {
  await using testStore = await opened()
  expect(await testStore.store.run(() => activateImported(snapshot("a"), null))).toBe(true)
  const generation = await testStore.store.read(sourceGeneration)
  for (const expected of [null, "z"]) {
    expect(await testStore.store.run(() => activateImported(snapshot("b"), expected))).toBe(false)
  }
  expect([await testStore.active(), await testStore.store.read(sourceGeneration)]).toEqual(["a", generation])
  expect(await testStore.store.read(() => snapshotsOnDisk("US_OFAC_SDN"))).toHaveLength(1)
})

test("a rollback to anything except the newest stored snapshot before the active one changes nothing", async () => {
  await using testStore = await opened()
  const rows = ["a", "b", "c"].map((id, day) => snapshot(id, { importedAt: `2026-11-2${day}T12:00:00.000Z` }))
  let before: string | null = null
  for (const row of rows) {
    const expected = before
    await testStore.store.run(() => activateImported(row, expected))
    before = row.snapshotId
  }
  for (const id of ["a", "c", "z"]) {
    expect(await testStore.store.run(() => rollBackTo({ ...snapshot(id), state: "KEPT" }, AT))).toBe(false)
  }
  expect(await testStore.active()).toBe("c")
  expect(await testStore.store.run(() => rollBackTo({ ...snapshot("b"), state: "KEPT" }, AT))).toBe(true)
  expect(await testStore.active()).toBe("b")
})

test("the database itself refuses two active snapshots of one source", async () => {
  await using testStore = await opened()
  await testStore.store.run(() => activateImported(snapshot("a"), null))
  await expect(
    testStore.write(
      "INSERT INTO source_snapshot (snapshot_id, source_id, source_url, source_version, source_timestamp, retrieved_at, parser_version, raw_sha256, parties_sha256, counts, entries, files, findings, imported_at, state) SELECT 'b', source_id, source_url, source_version, source_timestamp, retrieved_at, parser_version, raw_sha256, parties_sha256, counts, entries, files, findings, imported_at, 'ACTIVE' FROM source_snapshot",
    ),
  ).rejects.toMatchObject({ kind: "UNIQUE", table: "source_snapshot" })
})

test("each source has its own active snapshot, and active snapshots are listed in id order", async () => {
  await using testStore = await opened()
  for (const sourceId of ["US_TRADE_CSL", "US_OFAC_SDN"]) {
    await testStore.store.run(() => activateImported(snapshot(`of-${sourceId}`, { sourceId }), null))
  }
  expect((await testStore.store.read(activeSnapshots)).map((row) => row.sourceId)).toEqual([
    "US_OFAC_SDN",
    "US_TRADE_CSL",
  ])
  expect(await testStore.store.run(() => dropOldSnapshots("US_OFAC_SDN"))).toEqual([])
})

test("every change increases the generation, and a schema break stays recorded until something newer is read", async () => {
  await using testStore = await opened()
  const refusal = { sourceId: "US_OFAC_SDN", at: AT, rawSha256: digestOf(1), findings: "[]" }
  const seen: number[] = []
  const told = async () => {
    seen.push(await testStore.store.read(sourceGeneration))
    return (await testStore.store.read(() => lastAttempt("US_OFAC_SDN")))?.schemaBreak
  }
  await testStore.store.run(() => recordRefusal(refusal, null))
  expect(await told()).toBe(0)
  await testStore.store.run(() => recordRefusal(refusal, { published: "2026-11-19T00:00:00.000Z" }))
  expect(await told()).toBe(1)
  await testStore.store.run(() => recordRefusal(refusal, null))
  expect(await told()).toBe(1)
  const older = snapshot("a", { sourceTimestamp: "2026-11-18T00:00:00.000Z" })
  await testStore.store.run(() => activateImported(older, null))
  expect(await told()).toBe(1)
  const same = snapshot("b", { sourceTimestamp: "2026-11-19T00:00:00.000Z" })
  await testStore.store.run(() => activateImported(same, "a"))
  expect(await told()).toBe(0)
  expect(seen).toEqual([1, 2, 3, 4, 5])
})

test("a change is seen whose event got a lower number than one before it", async () => {
  await using testStore = await opened()
  const refusal = { sourceId: "US_OFAC_SDN", at: AT, rawSha256: digestOf(1), findings: "[]" }
  const seen = [await testStore.store.read(sourceGeneration)]
  for (let n = 0; n < 3; n++) {
    await testStore.store.run(() => recordRefusal(refusal, null))
    await testStore.write(
      "UPDATE source_event SET id = (SELECT min(id) FROM source_event) - 1 WHERE id = (SELECT max(id) FROM source_event)",
    )
    seen.push(await testStore.store.read(sourceGeneration))
  }
  expect(new Set(seen).size).toBe(4)
})

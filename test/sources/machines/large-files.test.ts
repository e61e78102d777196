/** Files larger than one part of the database. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestBytes } from "../../../src/core/digest.ts"
import { snapshotFault, snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { receiveSnapshot } from "../../../src/sources/machines/receive-snapshot.ts"
import { PART_BYTES, uploadActive } from "../../../src/sources/machines/upload-snapshot.ts"
import { filesOfSnapshot } from "../../../src/store/sources/list-bytes.ts"
import { activateImported } from "../../../src/store/sources/source-changes.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { activeSnapshotRow } from "../../fixtures/snapshot-judgement.ts"
import { START } from "../import-bench.ts"
import { sharedBench, storedRows } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

/** Zstandard cannot make random bytes smaller, so a part in the database is as large as it gets. */
const random = (length: number) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

describe.skipIf(!HAS_POSTGRES)(`large files in a shared database${NOT_RUN}`, () => {
  test("come back byte for byte, in parts of at most 4 MiB; an empty file too", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const files: Readonly<Record<string, Uint8Array>> = {
      "whole-parts.csv": random(2 * PART_BYTES),
      "one-more.csv": random(2 * PART_BYTES + 1),
      "repeated.csv": Buffer.alloc(3 * PART_BYTES, "a line of a list\n"),
      "empty.csv": new Uint8Array(),
    }
    const parties = Buffer.from("{}")
    const stated = Object.entries(files).map(([name, bytes]) => {
      return { name, sha256: digestBytes(bytes).slice("sha256:".length), bytes: bytes.length, last_modified: "" }
    })
    const row = {
      ...activeSnapshotRow("US_OFAC_SDN", START),
      partiesSha256: digestBytes(parties),
      files: JSON.stringify(stated),
      state: "ACTIVE" as const,
    }
    const { state: _, ...unstated } = row
    expect(await one.store.run(() => activateImported(unstated, null))).toBe(true)
    const folder = snapshotFolder(one.root, row.sourceId, row.snapshotId)
    mkdirSync(folder, { recursive: true })
    for (const [name, bytes] of Object.entries({ ...files, "parties.json": parties, "manifest.json": parties }))
      writeFileSync(join(folder, name), bytes)
    expect(await uploadActive({ store: one.store, root: one.root }, row.sourceId)).toBe(true)
    const parts = (await one.store.read(() => filesOfSnapshot(row.snapshotId))).map(({ name, parts }) => [name, parts])
    expect(Object.fromEntries(parts)).toMatchObject({
      ...{ "whole-parts.csv": 2, "one-more.csv": 3, "repeated.csv": 3, "empty.csv": 0, "parties.json": 1 },
    })
    // Two files with one content are stored once.
    expect(await storedRows(bench.database)).toMatchObject({ list_part: 2 + 3 + 3 + 1, list_file: 6, list_upload: 0 })
    const largest = await bench.database.row<{ n: number }>("SELECT max(length(bytes)) AS n FROM list_part")
    expect(largest?.n).toBeLessThan(PART_BYTES + 1_024)
    await receiveSnapshot({ store: other.store, root: other.root }, row)
    expect(snapshotFault(other.root, row)).toBeNull()
    const received = snapshotFolder(other.root, row.sourceId, row.snapshotId)
    for (const [name, bytes] of Object.entries(files))
      expect(Buffer.compare(readFileSync(join(received, name)), Buffer.from(bytes))).toBe(0)
  })
})

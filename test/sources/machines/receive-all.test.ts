/** Before a database moves to a file of one machine, that machine takes every list that the database still has. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SECOND } from "../../../src/core/time.ts"
import { snapshotFault, snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { receiveAll } from "../../../src/sources/machines/receive-all.ts"
import { snapshotsOnDisk } from "../../../src/store/sources/sources.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { sharedBench, twoPublications } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const SDN = "US_OFAC_SDN"

describe.skipIf(!HAS_POSTGRES)(`every list of a shared database${NOT_RUN}`, () => {
  test("a machine without one list, and with a damaged one, has all of them whole afterwards", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    await one.import(SDN, bench.files(SDN))
    bench.clock.set(START + SECOND)
    await one.import(SDN, bench.files(SDN))
    await one.import("US_TRADE_CSL", bench.files("US_TRADE_CSL"))
    expect(await receiveAll(other)).toEqual([])
    const kept = await other.store.read(() => snapshotsOnDisk(SDN))
    expect(kept.map(({ state }) => state)).toEqual(["ACTIVE", "KEPT"])
    const [active, earlier] = kept
    if (!active || !earlier) throw new Error("two snapshots are kept")
    writeFileSync(join(snapshotFolder(other.root, SDN, earlier.snapshotId), "parties.json"), "{}")
    rmSync(snapshotFolder(other.root, SDN, active.snapshotId), { recursive: true })
    expect(await receiveAll(other)).toEqual([])
    for (const row of kept) expect(snapshotFault(other.root, row)).toBeNull()
  })

  test("a list that neither the machine nor the database has is named, and the others are received", async () => {
    await using bench = await sharedBench()
    const { one, other, first: lost, second: whole } = await twoPublications(bench)
    await bench.database.write("DELETE FROM list_file WHERE snapshot_id = ?1", lost ?? "")
    expect(await receiveAll(other)).toEqual([
      {
        ...{ sourceId: SDN, snapshotId: lost ?? "", state: "KEPT" },
        why: expect.stringContaining(`the database does not have the bytes of ${lost}`),
      },
    ])
    expect(existsSync(snapshotFolder(other.root, SDN, whole ?? ""))).toBe(true)
    expect(await receiveAll(one)).toEqual([])
  })
})

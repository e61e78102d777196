/** A killed import records the operator's acceptance and the publisher's confirmation together with their list, or not at all. */
import { expect } from "bun:test"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { instant } from "../../src/core/time.ts"
import type { ImportOptions } from "../../src/sources/import/import-times.ts"
import { sampleSdnXml } from "../fixtures/sample-lists.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { hardCodes, importBench } from "./import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const REASON = "drill of the desk"
type Bench = ReturnType<typeof importBench>

async function killedAt(point: string, bench: Bench, folder: string, options: Partial<ImportOptions>): Promise<void> {
  const script = join(import.meta.dir, "killed-process.ts")
  const places = [point, join(bench.directory, "bizauth.db"), bench.root, folder]
  const child = Bun.spawn([process.execPath, script, ...places, JSON.stringify(options)], {
    stdout: "ignore",
    stderr: "inherit",
  })
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
}

/** A live directory, and a folder with a list under its least size. */
function opened() {
  const bench = importBench("live")
  bench.machine.set(realMachine.now())
  return { bench, folder: bench.folder([sampleSdnXml({ publishedAt: realMachine.now() })]) }
}

const accepted = (bench: Bench) =>
  bench.database
    .query<{ what: string; reason: string; snapshot_id: string }, []>(
      "SELECT what, reason, snapshot_id FROM source_acceptance",
    )
    .all()

const points: readonly [point: string, swapped: boolean][] = [
  ["parsing", false],
  ["before-swap", false],
  ["after-swap", true],
]

test.each(points)(
  "an import killed at %s records the acceptance exactly if its list is active",
  async (point, swapped) => {
    const { bench, folder } = opened()
    await using _ = bench
    await killedAt(point, bench, folder, { acceptSmall: REASON })
    const active = await bench.active(SDN)
    expect(active === null).toBe(!swapped)
    expect(accepted(bench)).toEqual(active ? [{ what: "SMALL", reason: REASON, snapshot_id: active.snapshotId }] : [])

    bench.machine.set(realMachine.now())
    // A recorded acceptance counts for the same bytes. Without one the bytes are refused.
    const again = await bench.importFrom(SDN, folder)
    expect([again.imported, hardCodes(again)]).toEqual(swapped ? [true, []] : [false, ["BELOW_EXPECTED"]])
    expect((await bench.importFrom(SDN, folder, { acceptSmall: REASON })).imported).toBe(true)
    expect((await bench.active(SDN))?.acceptances).toContain(REASON)
  },
)

test.each(points)("killed at %s, an import stores a confirmation only with its list", async (point, swapped) => {
  const { bench, folder } = opened()
  await using _ = bench
  const before = realMachine.now()
  await killedAt(point, bench, folder, { acceptSmall: REASON, fromPublisher: { lastModified: before } })
  const active = await bench.active(SDN)
  expect(active === null).toBe(!swapped)
  if (active) expect(instant(active.confirmedAt ?? "")).toBeGreaterThanOrEqual(before)

  // A copy of the bytes is no newer than the list that the killed import left.
  bench.machine.set(realMachine.now())
  expect((await bench.importFrom(SDN, folder, { acceptSmall: REASON })).imported).toBe(true)
  expect((await bench.active(SDN))?.confirmedAt ?? null).toBe(active?.confirmedAt ?? null)
})

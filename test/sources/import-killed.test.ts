/** A killed import leaves the old or the new snapshot active and complete, and the next import works. */
import { expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { loadSnapshots } from "../../src/sources/boards/load-snapshots.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench } from "./import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
type Bench = ReturnType<typeof importBench>

function importing(point: string, bench: Bench, folder: string) {
  const script = join(import.meta.dir, "killed-process.ts")
  return Bun.spawn([process.execPath, script, point, join(bench.directory, "bizauth.db"), bench.root, folder], {
    stdout: "ignore",
    stderr: "inherit",
  })
}

async function opened() {
  const bench = importBench()
  bench.machine.set(realMachine.now() - 60_000)
  const first = await bench.bring(SDN, bench.sdn())
  bench.machine.set(realMachine.now())
  return { bench, first: first.snapshotId ?? "", folder: bench.folder(bench.sdn()) }
}

/** Requires exactly one active and readable snapshot. Then an ordinary import must succeed and leave no orphan. */
async function requireSound(bench: Bench, folder: string): Promise<string> {
  const { snapshots } = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
  const active = snapshots.get(SDN)
  expect(active?.stored.parties).toHaveLength(5)
  expect(bench.logged).toEqual([])
  bench.machine.set(realMachine.now())
  expect((await bench.importFrom(SDN, folder)).imported).toBe(true)
  const kept = bench.database
    .query<{ snapshot_id: string }, []>("SELECT snapshot_id FROM source_snapshot WHERE state != 'DROPPED'")
    .all()
  expect(readdirSync(join(bench.root, SDN)).sort()).toEqual(kept.map(({ snapshot_id }) => snapshot_id).sort())
  return active?.row.snapshotId ?? ""
}

const points: readonly [point: string, orphans: number, swapped: boolean][] = [
  ["parsing", 0, false],
  ["before-swap", 1, false],
  ["after-swap", 0, true],
]
test.each(points)("an import killed at %s leaves one complete list active", async (point, orphans, swapped) => {
  const { bench, first, folder } = await opened()
  await using _ = bench
  const child = importing(point, bench, folder)
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
  const rows = bench.database.query("SELECT 1 FROM source_snapshot").all().length
  expect(readdirSync(join(bench.root, SDN)).length - rows).toBe(orphans)
  expect((await requireSound(bench, folder)) === first).toBe(!swapped)
})

test("an import killed while it writes the files leaves the old snapshot active", async () => {
  const { bench, first, folder } = await opened()
  await using _ = bench
  const child = importing("never", bench, folder)
  const parent = join(bench.root, SDN)
  const staging = () => existsSync(parent) && readdirSync(parent).some((name) => name.startsWith(".staging-"))
  while (!staging() && child.exitCode === null) await Bun.sleep(0)
  child.kill("SIGKILL")
  await child.exited
  // The swap may have come before the kill. Either snapshot is complete.
  const active = await requireSound(bench, folder)
  expect(active === first || bench.events().length === 3).toBe(true)
})

test("an import killed at any moment leaves one complete snapshot active", async () => {
  const { bench, folder } = await opened()
  await using _ = bench
  // Spread over the whole run of the child: loading, reading, writing, committing.
  // No result depends on how far the child came: a slow machine only kills it earlier.
  for (const wait of [60, 90, 120, 150, 180, 210]) {
    const child = importing("never", bench, folder)
    await Bun.sleep(wait)
    child.kill("SIGKILL")
    await child.exited
    await requireSound(bench, folder)
  }
}, 20_000)

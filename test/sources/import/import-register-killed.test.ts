/** A killed import of a register leaves the old or the new one in use and complete, and the next import works. */
import { expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { bulkFiles, companyCells, companyNumber } from "../../fixtures/companies-house-file.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { REGISTER, registerBench } from "./register-bench.ts"

const test = slowTests(import.meta.path)

const ROWS = 3000

type Bench = ReturnType<typeof registerBench>

function importing(point: string, bench: Bench, folder: string) {
  const script = join(import.meta.dir, "killed-register-process.ts")
  return Bun.spawn([process.execPath, script, point, join(bench.directory, "bizauth.db"), bench.root, folder], {
    stdout: "ignore",
    stderr: "inherit",
  })
}

async function opened() {
  const bench = registerBench()
  bench.machine.set(realMachine.now() - 60_000)
  await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { day: "2026-10-01" }))
  bench.machine.set(realMachine.now())
  return { bench, folder: bench.folder(bulkFiles("zip", ROWS)) }
}

/** The folders, without the lock and SQLite's own files. */
function folders(bench: Bench): string[] {
  return readdirSync(bench.companiesHouseFiles)
    .filter((name) => !name.startsWith("import.lock"))
    .sort()
}

/** Returns the version in use after a successful look-up. Then an ordinary import must succeed and leave nothing behind. */
async function requireSound(bench: Bench, folder: string): Promise<string> {
  const version = await bench.ask((registers) => {
    expect(registers.find(REGISTER, "number", companyNumber(5))?.name).toBe(companyCells(5)["CompanyName"] ?? "?")
    return registers.states(realMachine.now())[0]?.snapshot?.sourceVersion ?? ""
  })
  expect(bench.logged.filter(({ level }) => level !== "info")).toEqual([])
  bench.machine.set(realMachine.now())
  expect((await bench.importPaths([folder])).imported).toBe(true)
  const kept = bench.database
    .query<{ snapshot_id: string }, []>("SELECT snapshot_id FROM source_snapshot WHERE state != 'DROPPED'")
    .all()
  expect(folders(bench)).toEqual(kept.map((row) => row.snapshot_id).sort())
  return version
}

const points: readonly [point: string, orphans: number, version: string][] = [
  ["copying", 1, "2026-10-01"],
  ["reading", 1, "2026-10-01"],
  ["building", 1, "2026-10-01"],
  ["comparing", 1, "2026-10-01"],
  ["digest", 1, "2026-10-01"],
  ["before-swap", 1, "2026-10-01"],
  ["after-swap", 0, "2026-11-01"],
]
test.each(sample(points, 1))(
  `an import killed at %s leaves one complete register (${howMany(points.length, 1)} points)`,
  async (point, orphans, version) => {
    const { bench, folder } = await opened()
    await using _ = bench
    const child = importing(point, bench, folder)
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    const rows = bench.database.query("SELECT 1 FROM source_snapshot").all().length
    expect(folders(bench).length - rows).toBe(orphans)
    expect(await requireSound(bench, folder)).toBe(version)
  },
)

// Root may write anywhere, so a limit of the file size replaces a full disk: in the middle of the copy, and of the entries.
test.each([100, 600])("with files of at most %d KiB the import fails and leaves nothing", async (limitKib) => {
  const { bench, folder } = await opened()
  await using _ = bench
  const script = join(import.meta.dir, "killed-register-process.ts")
  const command = [process.execPath, script, "never", join(bench.directory, "bizauth.db"), bench.root, folder]
  const limited = ["bash", "-c", `ulimit -f ${limitKib}; exec "$@"`, "bash", ...command]
  const child = Bun.spawn(limited, { stdout: "ignore", stderr: "pipe" })
  const err = await new Response(child.stderr).text()
  await child.exited
  expect([child.exitCode, err]).toEqual([1, expect.stringMatching(/EFBIG|SQLITE_(IOERR|FULL)|disk/)])
  expect(folders(bench)).toHaveLength(1)
  expect(await requireSound(bench, folder)).toBe("2026-10-01")
})

const moments = [80, 120, 160, 200, 240, 280]
test(`an import killed at any moment leaves one complete register in use (${howMany(moments.length, 1)} moments)`, async () => {
  const { bench, folder } = await opened()
  await using _ = bench
  // Spread over the child's whole life: loading, copying, writing, indexing, committing.
  // No result depends on how far the child came: a slow machine only kills it earlier.
  for (const wait of sample(moments, 1)) {
    const child = importing("never", bench, folder)
    await Bun.sleep(wait)
    child.kill("SIGKILL")
    await child.exited
    await requireSound(bench, folder)
  }
}, 60_000)

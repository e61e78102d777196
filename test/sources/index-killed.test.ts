/** A process killed while it saves an index leaves a usable index or none, and the next import leaves one file. */
import { expect } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { INDEX_FOLDER } from "../../src/sources/boards/index-file.ts"
import { boardByRounds } from "../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { screen } from "../../src/sources/screening/screen.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench } from "./import-bench.ts"
import { filesOf, rowFilesOf, findRow as rowOf } from "./saved-indexes.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const EXTRA = Array.from({ length: 400 }, (_, at) => ({
  number: 90_200 + at,
  name: `HARBOR ${at} QUORUM`,
  programs: ["SDGT"],
}))
const ZEPHYR = { number: 90_101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }

type Bench = ReturnType<typeof importBench>

/** One imported list, and a folder with its next publication, which also lists Zephyr. */
async function opened() {
  const bench = importBench()
  bench.machine.set(realMachine.now() - 60_000)
  await bench.bring(SDN, bench.sdn({ extraSdn: EXTRA }))
  bench.machine.set(realMachine.now())
  return { bench, folder: bench.folder(bench.sdn({ extraSdn: [ZEPHYR, ...EXTRA] })) }
}

function run(script: string, ...args: readonly string[]) {
  return Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], { stdout: "ignore", stderr: "inherit" })
}

const importing = (point: string, bench: Bench, folder: string) =>
  run("killed-process.ts", point, join(bench.directory, "bizauth.db"), bench.root, folder)

async function isZephyrListed(bench: Bench): Promise<boolean> {
  const { board } = await boardByRounds({
    ...bench,
    snapshotsDirectory: bench.root,
    sources: REQUIRED_US_SOURCES,
    name: "US",
    disabled: [],
  })
  const query = { type: "org", identifiers: [], countries: [], threshold: 0.8 } as const
  expect(screen(board.index(), { ...query, name: "HARBOR 7 QUORUM" }).state).toBe("POSSIBLE_MATCH")
  return screen(board.index(), { ...query, name: ZEPHYR.name }).state === "MATCH"
}

async function requireCleanAfterImport(bench: Bench, folder: string): Promise<void> {
  bench.machine.set(realMachine.now())
  expect((await bench.importFrom(SDN, folder)).imported).toBe(true)
  expect(filesOf(bench)).toEqual([(await rowOf(bench))?.file ?? "no row"])
  expect(rowFilesOf(bench)).toHaveLength(1)
  expect(await isZephyrListed(bench)).toBe(true)
}

const points: readonly [point: string, isSwapped: boolean][] = [
  ["before-swap", false],
  ["after-swap", true],
]
test.each(points)(
  "an import killed at %s leaves two index files, and a row of the active snapshots names the right one",
  async (point, isSwapped) => {
    const { bench, folder } = await opened()
    await using _ = bench
    const before = await rowOf(bench)
    const child = importing(point, bench, folder)
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    expect([filesOf(bench).length, (await rowOf(bench))?.key !== before?.key]).toEqual([2, isSwapped])
    expect(filesOf(bench)).toContain((await rowOf(bench))?.file ?? "no row")
    expect(await isZephyrListed(bench)).toBe(isSwapped)
    expect(bench.logged.filter(({ event }) => String(event).startsWith("index_"))).toEqual([])
    await requireCleanAfterImport(bench, folder)
  },
)

const allNames = (bench: Bench) => readdirSync(join(bench.root, INDEX_FOLDER))
const writing: readonly [what: string, isReached: (bench: Bench) => boolean][] = [
  ["while it writes the index", (bench) => allNames(bench).length > 2],
  ["between the index and its row", (bench) => filesOf(bench).length > 1],
  ["once the row is written", (bench) => rowFilesOf(bench).length > 1],
]
test.each(writing)("an import killed %s leaves an index in use", async (_what, isReached) => {
  const { bench, folder } = await opened()
  await using _ = bench
  const child = importing("never", bench, folder)
  while (!isReached(bench) && child.exitCode === null) await Bun.sleep(0)
  child.kill("SIGKILL")
  await child.exited
  // The swap may have come before the kill. Either index is complete.
  expect(await isZephyrListed(bench)).toBe(bench.events().length === 2)
  expect(bench.logged.filter(({ event }) => String(event).startsWith("index_"))).toEqual([])
  await requireCleanAfterImport(bench, folder)
})

test.each(["before-row", "after-row"])(
  "a service killed at %s of its new index leaves a usable index",
  async (point) => {
    const { bench, folder } = await opened()
    await using _ = bench
    const before = await rowOf(bench)
    writeFileSync(join(bench.root, INDEX_FOLDER, before?.file ?? ""), "damaged")
    const child = run("killed-board.ts", point, join(bench.directory, "bizauth.db"), bench.root)
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    expect([filesOf(bench).length, (await rowOf(bench))?.file !== before?.file]).toEqual([2, point === "after-row"])
    expect(filesOf(bench)).toContain((await rowOf(bench))?.file ?? "no row")
    expect(await isZephyrListed(bench)).toBe(false)
    await requireCleanAfterImport(bench, folder)
  },
)

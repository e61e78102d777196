/** A release with another parser reads the kept bytes of a register again, in the background, and a kill changes nothing. */
import { describe, expect } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { openRegisterBoard } from "../../../src/sources/boards/open-register-board.ts"
import { withImportLock } from "../../../src/sources/import/import-lock.ts"
import { readRegistersAgain } from "../../../src/sources/import/read-register-again.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { DatabaseRefused, StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import { activeSnapshot } from "../../../src/store/sources/sources.ts"
import { bulkFiles, companyCells, companyNumber } from "../../fixtures/companies-house-file.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { until } from "../../fixtures/until.ts"
import { EARLIER, readHere } from "./earlier-register.ts"
import { REGISTER, registerBench } from "./register-bench.ts"

const test = slowTests(import.meta.path)

const ROWS = 3000
const NAME = companyCells(5)["CompanyName"] ?? ""

type Bench = ReturnType<typeof registerBench>

/** A directory whose register the release before imported. */
async function upgraded(adapter = EARLIER) {
  const bench = registerBench()
  await bench.bringCompaniesHouse(bulkFiles("zip", ROWS), { adapter })
  const row = await active(bench)
  expect([row?.parserVersion, await nameIn(bench)]).toEqual([adapter.parserVersion, NAME.toLowerCase()])
  bench.machine.set(bench.machine.now() + HOUR)
  bench.logged.length = 0
  return { bench, row }
}

const active = (bench: Bench) => bench.store.read(() => activeSnapshot(REGISTER))
const nameIn = (bench: Bench) => bench.ask((registers) => registers.find(REGISTER, "number", companyNumber(5))?.name)
const events = ({ logged }: Bench) => logged.map(({ event }) => event)
const folders = (bench: Bench) =>
  readdirSync(bench.companiesHouseFiles).filter((name) => !name.startsWith("import.lock"))

describe("a register of an earlier parser", () => {
  test("is read again in a thread, from the same bytes, with its times", async () => {
    const { bench, row } = await upgraded()
    await using _ = bench
    await readRegistersAgain(bench.parts, new Set(), new AbortController().signal)
    const now = await active(bench)
    expect(now).toEqual({
      ...row,
      snapshotId: now?.snapshotId ?? "",
      partiesSha256: now?.partiesSha256 ?? "",
      parserVersion: ukCompaniesHouse.parserVersion,
      importedAt: formatInstant(bench.machine.now()),
      findings: now?.findings ?? "",
    } as never)
    expect([now?.snapshotId === row?.snapshotId, await nameIn(bench)]).toEqual([false, NAME])
    expect(events(bench)).toContain("register_read_again")
    // The database of before the upgrade names the old snapshot.
    expect(folders(bench).sort()).toEqual([row?.snapshotId ?? "", now?.snapshotId ?? ""].sort())
    await readRegistersAgain(bench.parts, new Set(), new AbortController().signal)
    expect((await active(bench))?.snapshotId).toBe(now?.snapshotId)
  })

  test("answers with its old reading until the service has read it again", async () => {
    const { bench } = await upgraded()
    await using _ = bench
    const { board, worker } = await openRegisterBoard({ ...bench.parts, machine: { ...bench.machine, after: soon } })
    expect(board.find(REGISTER, "number", companyNumber(5))?.name).toBe(NAME.toLowerCase())
    worker.start()
    await until("read again", () => board.find(REGISTER, "number", companyNumber(5))?.name === NAME)
    await worker.stop()
    expect(events(bench).filter((event) => String(event).startsWith("register_read"))).toEqual([
      "register_read_by_earlier_parser",
      "register_read_again",
    ])
  })

  test("of an earlier major version is read again too, and its old reading never answers", async () => {
    const adapter = { ...EARLIER, parserVersion: "uk-companies-house-bulk/0.9.0" }
    const bench = registerBench()
    await using _ = bench
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS), { adapter })
    expect(await nameIn(bench)).toBeUndefined()
    await readHere(bench.parts)
    expect(await nameIn(bench)).toBe(NAME)
  })

  test("keeps what the operator accepted, although the content is too old for an import", async () => {
    const { bench, row } = await upgraded()
    await using _ = bench
    bench.machine.set(bench.machine.now() + 400 * DAY)
    await readHere(bench.parts)
    const now = await active(bench)
    expect([now?.parserVersion, now?.retrievedAt, now?.acceptances]).toEqual([
      ukCompaniesHouse.parserVersion,
      row?.retrievedAt ?? "",
      row?.acceptances ?? "",
    ])
  })

  test("stays in use if its bytes are damaged: one line is logged, and it is not read again and again", async () => {
    const { bench, row } = await upgraded()
    await using _ = bench
    const [{ name = "" } = {}] = bulkFiles("zip", ROWS)
    const failed = new Set<string>()
    writeFileSync(join(snapshotFolder(bench.root, REGISTER, row?.snapshotId ?? ""), name), "damaged")
    for (let round = 0; round < 2; round++) await readHere(bench.parts, undefined, failed)
    expect([await active(bench), folders(bench)]).toEqual([row, [row?.snapshotId ?? ""]])
    expect(bench.logged.filter(({ event }) => event === "register_not_read_again")).toMatchObject([
      { why: "the kept files have other bytes than recorded", way_out: expect.stringContaining("sources import") },
    ])
  })

  test("stays in use while another process imports, and is tried again", async () => {
    const { bench, row } = await upgraded()
    await using _ = bench
    const failed = new Set<string>()
    await withImportLock(bench.companiesHouseFiles, () => readHere(bench.parts, undefined, failed))
    expect([await active(bench), events(bench)]).toEqual([row, ["register_not_read_again"]])
    await readHere(bench.parts, undefined, failed)
    expect(await nameIn(bench)).toBe(NAME)
  })

  test("stays in use while the database is away, and is tried again", async () => {
    const { bench, row } = await upgraded()
    await using _ = bench
    const failed = new Set<string>()
    const away = [new DatabaseRefused("no connection is free", "UNREACHABLE"), new StoreUnavailable("IO")]
    for (const error of away) {
      const shared = { exclusive: () => Promise.reject(error), now: bench.machine.now, byDatabase: (at: number) => at }
      await readHere({ ...bench.parts, shared }, undefined, failed)
    }
    expect([await active(bench), events(bench)]).toEqual([row, away.map(() => "register_not_read_again")])
    await readHere(bench.parts, undefined, failed)
    expect(await nameIn(bench)).toBe(NAME)
  })

  test("is not read if the configuration disables it", async () => {
    const { bench, row } = await upgraded()
    await using _ = bench
    await readHere({ ...bench.parts, disabled: [REGISTER] })
    expect(await active(bench)).toEqual(row)
  })
})

const POINTS = ["copying", "reading", "building", "digest", "before-swap", "after-swap"]

test.each(POINTS)(
  "a reading killed at %s leaves one complete register in use, and the next start begins again",
  async (point) => {
    const { bench, row } = await upgraded()
    await using _ = bench
    const script = join(import.meta.dir, "reading-again-process.ts")
    const child = Bun.spawn([process.execPath, script, point, join(bench.directory, "bizauth.db"), bench.root], {
      stdout: "ignore",
      stderr: "inherit",
    })
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    const isSwapped = point === "after-swap"
    expect(await nameIn(bench)).toBe(isSwapped ? NAME : NAME.toLowerCase())
    await readHere(bench.parts)
    expect(await nameIn(bench)).toBe(NAME)
    expect(folders(bench).sort()).toEqual([row?.snapshotId ?? "", (await active(bench))?.snapshotId ?? ""].sort())
  },
)

function soon(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(ms, 20))
  return () => clearTimeout(timer)
}

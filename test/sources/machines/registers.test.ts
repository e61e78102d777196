/** A register that one machine imported is not in the shared database: another machine says so, and what to do. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openRegisters } from "../../../src/sources/boards/open-register-board.ts"
import { importSource } from "../../../src/sources/import/import-source.ts"
import { findInput } from "../../../src/sources/import/read-input.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { registerSource } from "../../../src/sources/import/source.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { activeSnapshot } from "../../../src/store/sources/sources.ts"
import { bulkFiles, companyNumber } from "../../fixtures/companies-house-file.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { type BenchMachine, sharedBench, storedRows } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const ID = "UK_COMPANIES_HOUSE"

describe.skipIf(!HAS_POSTGRES)(`registers on a shared database${NOT_RUN}`, () => {
  const written = (folder: string) => {
    mkdirSync(folder, { recursive: true })
    for (const { name, bytes } of bulkFiles("zip", 100)) writeFileSync(join(folder, name), bytes)
    return folder
  }
  const bring = ({ place }: BenchMachine, folder: string) =>
    importSource({ ...place, environment: "test", source: registerSource(ukCompaniesHouse) }, findInput([folder], ID), {
      retrievedAt: null,
      acceptShrink: null,
    })
  const opened = ({ place, log }: BenchMachine) =>
    openRegisters({ ...place, log, adapters: [ukCompaniesHouse], disabled: [] })
  const stateOf = (registers: Awaited<ReturnType<typeof opened>>) => registers.states(START)[0]

  test("it is UNAVAILABLE there with the way out, until the same files are imported there: no row changes", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const folder = written(join(one.root, "..", "files"))
    const { snapshotId } = await bring(one, folder)
    const [first, second] = [await opened(one), await opened(other)]
    expect(stateOf(first)?.snapshot?.snapshotId).toBe(snapshotId ?? "")
    expect(stateOf(second)).toMatchObject({
      ...{ health: "UNAVAILABLE", snapshot: null },
      reasonCodes: ["SOURCE_UNAVAILABLE", "SNAPSHOT_NOT_HERE"],
    })
    const told = other.logged.find(({ event }) => event === "register_not_here")
    expect(String(told?.["way_out"])).toContain(`run bizauth sources import ${ID} PATH here with the same files`)
    await one.import("US_OFAC_SDN", bench.files("US_OFAC_SDN"))
    await second.poll()
    expect(other.logged.filter(({ event }) => event === "register_not_here")).toHaveLength(1)
    for (const table of ["list_file", "list_part", "list_activation"])
      await bench.database.write(`DELETE FROM ${table}`)
    const before = await one.store.read(() => activeSnapshot(ID))
    expect(await bring(other, folder)).toMatchObject({ imported: true, snapshotId })
    expect(await one.store.read(() => activeSnapshot(ID))).toEqual(before)
    expect(readdirSync(join(other.root, ID)).filter((name) => name.startsWith("snp_"))).toEqual([snapshotId ?? ""])
    await second.poll()
    expect(stateOf(second)?.snapshot?.snapshotId).toBe(snapshotId ?? "")
    const found = [first, second].map((registers) => registers.find(ID, "number", companyNumber(7)))
    expect(found[1]).not.toBeNull()
    expect(found[1]).toEqual(found[0] ?? null)
    expect(await storedRows(bench.database)).toEqual({ list_part: 0, list_upload: 0, list_file: 0, list_activation: 0 })
    for (const registers of [first, second]) registers.close()
  })

  test("a folder that is copied to the machine is opened without a start", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId } = await bring(one, written(join(one.root, "..", "files")))
    const second = await opened(other)
    const [from, to] = [one, other].map(({ root }) => snapshotFolder(root, ID, snapshotId ?? "")) as [string, string]
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to, { recursive: true })
    await second.poll()
    expect(existsSync(to)).toBe(true)
    expect(stateOf(second)?.snapshot?.snapshotId).toBe(snapshotId ?? "")
    second.close()
  })
})

/** A rollback of a register, and the same publication under other names. */
import { describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY } from "../../../src/core/time.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { registerBench } from "./register-bench.ts"

const test = slowTests(import.meta.path)

const ROWS = 300

describe("a rollback", () => {
  test("returns to the previous register, and reports if there is none", async () => {
    await using bench = registerBench()
    expect((await bench.rollBack()).outcome).toBe("NOTHING_KEPT")
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { day: "2026-10-01" }))
    bench.machine.set(bench.machine.now() + 1000)
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS + 1))
    const rolled = await bench.rollBack()
    expect(rolled).toMatchObject({ outcome: "ROLLED_BACK", snapshot: { sourceVersion: "2026-10-01" } })
    const [state] = await bench.ask((registers) => registers.states(bench.machine.now()))
    expect(state?.snapshot?.entries).toBe(ROWS)
    expect((await bench.rollBack()).outcome).toBe("NOTHING_KEPT")
  })

  test("never returns to a register that is damaged or missing", async () => {
    await using bench = registerBench()
    const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { day: "2026-10-01" }))
    bench.machine.set(bench.machine.now() + 1000)
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const path = join(bench.companiesHouseFiles, snapshotId ?? "", "register.sqlite")
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.subarray(0, -1))
    expect(await bench.rollBack()).toMatchObject({
      outcome: "UNREADABLE",
      fault: expect.stringContaining("other bytes"),
    })
    const [state] = await bench.ask((registers) => registers.states(bench.machine.now()))
    expect(state?.snapshot?.sourceVersion).toBe("2026-11-01")
  })
})

describe("the same publication under other file names", () => {
  const lowerCase = (files: ReturnType<typeof bulkFiles>) =>
    files.map(({ name, bytes }) => ({ name: name.toLowerCase(), bytes }))

  test("keeps its first retrieval", async () => {
    await using bench = registerBench()
    const parts = bulkFiles("parts", ROWS)
    const first = await bench.bringCompaniesHouse(parts)
    bench.machine.set(bench.machine.now() + DAY)
    const copied = await bench.bringCompaniesHouse(lowerCase(parts))
    expect([copied.imported, copied.retrievedAt]).toEqual([true, first.retrievedAt])
  })

  test("keeps its publication time and its age, although the new name states a later day", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(bulkFiles("csv", ROWS, { day: "2026-10-01" }))
    const staleAt = () => bench.ask((registers) => registers.states(bench.machine.now())[0]?.staleAt)
    const before = await staleAt()
    const copied = await bench.bringCompaniesHouse(bulkFiles("csv", ROWS, { day: "2026-11-01" }))
    expect([copied.imported, copied.publishedAt]).toEqual([true, "2026-10-01T00:00:00.000Z"])
    expect(await staleAt()).toBe(before)
  })
})

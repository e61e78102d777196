import { describe, expect } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY, formatInstant, HOUR, instant } from "../../../src/core/time.ts"
import { openRegisterBoard, openRegisters } from "../../../src/sources/boards/open-register-board.ts"
import { withImportLock } from "../../../src/sources/import/import-lock.ts"
import { RegisterDamaged } from "../../../src/sources/import/register-file.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { recordConfirmed, recordUnmet } from "../../../src/store/sources/source-checks.ts"
import { sourceHistory } from "../../../src/store/sources/source-history.ts"
import { bulkFiles, companyCells, companyNumber } from "../../fixtures/companies-house-file.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { REGISTER, registerBench } from "../import/register-bench.ts"

const test = slowTests(import.meta.path)

const ROWS = 200

/** Open files of this process below a folder. */
function openFiles(folder: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`)
      return target.startsWith(folder) ? [target] : []
    } catch {
      return []
    }
  })
}

function flip(path: string, text: string): void {
  const bytes = readFileSync(path)
  // The last entry: a page that was split still contains the entries that moved away from it.
  const at = bytes.lastIndexOf(text)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

describe("in a running service, a register", () => {
  test("that was never imported is UNAVAILABLE and finds no company", async () => {
    await using bench = registerBench()
    const [state, found] = await bench.ask((registers) => [
      registers.states(bench.machine.now())[0],
      registers.find(REGISTER, "number", companyNumber(1)),
    ])
    expect(state).toMatchObject({ sourceId: REGISTER, health: "UNAVAILABLE", reasonCodes: ["SOURCE_UNAVAILABLE"] })
    expect([state?.snapshot, state?.staleAt, found]).toEqual([null, null, null])
  })

  test("finds a number in any spelling, and nothing else", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(
      bulkFiles("zip", ROWS, { changes: { 1: { CompanyNumber: "00006400" }, 2: { CompanyNumber: "SC000123" } } }),
    )
    const find = (text: string) => bench.ask((registers) => registers.find(REGISTER, "number", text)?.key ?? null)
    for (const text of ["00006400", "6400", " 06400 "]) expect(await find(text)).toBe("00006400")
    for (const text of ["SC000123", "sc123", "SC0123"]) expect(await find(text)).toBe("SC000123")
    for (const text of ["", "SC", "64OO", "000006400", "00006400 AND", "0000640\u0660", "%", "SC12345678"]) {
      expect(await find(text)).toBeNull()
    }
    expect(await bench.ask((registers) => registers.find(REGISTER, "lei", "00006400"))).toBeNull()
  })

  test("answers look-ups while it is replaced, and the old file is released", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { day: "2026-10-01" }))
    const registers = await openRegisters(bench.parts)
    const number = companyNumber(7)
    const nameOf = () => registers.find(REGISTER, "number", number)?.name
    const before = companyCells(7)["CompanyName"] ?? ""
    let isImporting = true
    let requests = 0
    const asking = (async () => {
      while (isImporting) {
        expect(nameOf()).toBe(before)
        requests += 1
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    bench.machine.set(bench.machine.now() + 1000)
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { changes: { 7: { CompanyName: "RENAMED LIMITED" } } }))
    isImporting = false
    await asking
    expect(requests).toBeGreaterThan(0)
    const [old] = openFiles(bench.companiesHouseFiles)
    await registers.poll()
    expect(nameOf()).toBe("RENAMED LIMITED")
    expect(registers.states(bench.machine.now())[0]?.snapshot?.sourceVersion).toBe("2026-11-01")
    const open = openFiles(bench.companiesHouseFiles)
    expect([open.length, open.includes(old ?? "")]).toEqual([1, false])
    registers.close()
    expect(openFiles(bench.companiesHouseFiles)).toEqual([])
  })

  test("shows a confirmation by the publisher without a restart", async () => {
    await using bench = registerBench()
    const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const registers = await openRegisters(bench.parts)
    const confirmedAt = () => registers.states(bench.machine.now())[0]?.snapshot?.confirmedAt
    expect(confirmedAt()).toBeNull()
    bench.machine.set(bench.machine.now() + HOUR)
    const at = formatInstant(bench.machine.now())
    const answer = { sourceId: REGISTER, at, outcome: "NOT_MODIFIED", files: null, lastModified: null } as const
    await bench.store.run(() => recordConfirmed({ ...answer, snapshotId: snapshotId ?? "", isPublisher: true }))
    await registers.poll()
    expect(confirmedAt()).toBe(at)
    registers.close()
  })

  test("changes only its last attempt after a refused import", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const registers = await openRegisters(bench.parts)
    bench.machine.set(bench.machine.now() + 1000)
    await bench.bringCompaniesHouse(bulkFiles("zip", 20))
    const files = openFiles(bench.companiesHouseFiles)
    await registers.poll()
    const [state] = registers.states(bench.machine.now())
    expect([state?.health, state?.lastAttempt?.outcome, state?.snapshot?.entries]).toEqual(["HEALTHY", "REFUSED", ROWS])
    expect(openFiles(bench.companiesHouseFiles)).toEqual(files)
    registers.close()
  })

  test("becomes SCHEMA_BREAK after a newer publication that cannot be read, and still answers", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { day: "2026-10-01" }))
    bench.machine.set(bench.machine.now() + 1000)
    const [csv] = bulkFiles("csv", ROWS)
    const text = new TextDecoder().decode(csv?.bytes).replace("CompanyStatus", "State")
    await bench.bringCompaniesHouse([{ name: csv?.name ?? "", bytes: new TextEncoder().encode(text) }])
    const [state] = await bench.ask((registers) => registers.states(bench.machine.now()))
    expect([state?.health, state?.reasonCodes]).toEqual(["SCHEMA_BREAK", ["SOURCE_SCHEMA_BREAK"]])
  })

  test("read by another major version of the parser is UNAVAILABLE until its stored files are read again", async () => {
    await using bench = registerBench()
    const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const later = {
      ...bench.parts,
      adapters: [{ ...ukCompaniesHouse, parserVersion: "uk-companies-house-bulk/2.0.0" }],
    }
    const healthOf = async (parts: typeof later) => {
      const registers = await openRegisters(parts)
      const health = registers.states(bench.machine.now())[0]?.health
      registers.close()
      return health
    }
    expect(await healthOf(later)).toBe("UNAVAILABLE")
    const minor = [{ ...ukCompaniesHouse, parserVersion: "uk-companies-house-bulk/1.9.0" }]
    expect(await healthOf({ ...bench.parts, adapters: minor })).toBe("HEALTHY")
    expect(bench.logged).toContainEqual(
      expect.objectContaining({ event: "register_read_by_earlier_parser", parser: "uk-companies-house-bulk/1.9.0" }),
    )
    const [adapter] = later.adapters
    await bench.importPaths([join(bench.companiesHouseFiles, snapshotId ?? "")], adapter ? { adapter } : {})
    expect(await healthOf(later)).toBe("HEALTHY")
  })

  test("that is switched off is DISABLED and answers nothing", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const registers = await openRegisters({ ...bench.parts, disabled: [REGISTER] })
    expect(registers.states(bench.machine.now())[0]?.health).toBe("DISABLED")
    expect(registers.find(REGISTER, "number", companyNumber(1))).toBeNull()
    registers.close()
  })

  test("that was imported shows the time of its next check if the service fetches, and the result of the last one", async () => {
    await using bench = registerBench()
    const now = () => bench.machine.now()
    const stateOf = async (fetching: boolean) => {
      const registers = await openRegisters({ ...bench.parts, fetching })
      const [state] = registers.states(now())
      registers.close()
      return state
    }
    expect((await stateOf(true))?.nextAttemptAt).toBeNull()
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    expect((await stateOf(false))?.nextAttemptAt).toBeNull()
    const { snapshot, nextAttemptAt } = (await stateOf(true)) ?? {}
    const due = instant(snapshot?.sourceTimestamp ?? "") + 31 * DAY
    expect(nextAttemptAt).toBe(formatInstant(Math.max(due, now())))
    bench.machine.set(due + HOUR)
    const refused = { sourceId: REGISTER, at: formatInstant(now()), outcome: "FAILED", code: "TIMED_OUT" } as const
    await bench.parts.store.run(() => recordUnmet({ ...refused, detail: null, retryAfterUntil: null }))
    const after = await stateOf(true)
    expect(after?.lastAttempt).toEqual({ at: formatInstant(now()), outcome: "FAILED" })
    expect(instant(after?.nextAttemptAt ?? "")).toBeGreaterThan(now())
  })

  const ages: readonly [days: number, health: string, freshness: string][] = [
    [20, "HEALTHY", "FRESH"],
    [35, "HEALTHY", "AGING"],
    [44, "HEALTHY", "AGING"],
    [45, "STALE", "STALE"],
  ]
  test.each(ages)(
    "is, %d days after its publication, %s and %s, whenever it was fetched",
    async (days, health, freshness) => {
      await using bench = registerBench()
      const at = Date.UTC(2026, 10, 1) + days * DAY
      bench.machine.set(at)
      await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
      const [state] = await bench.ask((registers) => registers.states(at))
      expect([state?.health as string, state?.freshness as string, state?.ageSeconds]).toEqual([
        health,
        freshness,
        days * 86_400,
      ])
    },
  )
})

describe("a register with changed bytes on the disk", () => {
  async function damagedBench() {
    const bench = registerBench()
    const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const registers = await openRegisters(bench.parts)
    flip(join(bench.companiesHouseFiles, snapshotId ?? "", "register.sqlite"), companyCells(7)["CompanyName"] ?? "?")
    return { bench, registers }
  }

  test("is UNAVAILABLE after a look-up of a damaged entry, and nobody gets that entry or a false absence", async () => {
    const { bench, registers } = await damagedBench()
    await using _ = bench
    expect(() => registers.find(REGISTER, "number", companyNumber(7))).toThrow(RegisterDamaged)
    expect(registers.states(bench.machine.now())[0]?.health).toBe("UNAVAILABLE")
    expect(bench.logged).toContainEqual(expect.objectContaining({ event: "snapshot_unreadable", source_id: REGISTER }))
    expect(openFiles(bench.companiesHouseFiles)).toEqual([])
    registers.close()
  })

  test("is UNAVAILABLE after the background proof, until it is imported again", async () => {
    const { bench, registers } = await damagedBench()
    await using _ = bench
    await registers.prove()
    expect(registers.states(bench.machine.now())[0]?.health).toBe("UNAVAILABLE")
    bench.machine.set(bench.machine.now() + 1000)
    await bench.bringCompaniesHouse(bulkFiles("zip", 20))
    await registers.poll()
    expect(registers.states(bench.machine.now())[0]?.health).toBe("UNAVAILABLE")
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    await registers.poll()
    await registers.prove()
    expect(registers.states(bench.machine.now())[0]?.health).toBe("HEALTHY")
    expect(bench.logged).toContainEqual(expect.objectContaining({ event: "register_proven" }))
    expect(registers.find(REGISTER, "number", companyNumber(7))?.name).toBe(companyCells(7)["CompanyName"] ?? "?")
    registers.close()
  })
})

test("a register without its file is closed once and not opened again", async () => {
  await using bench = registerBench()
  const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
  const registers = await openRegisters(bench.parts)
  rmSync(join(bench.companiesHouseFiles, snapshotId ?? ""), { recursive: true })
  await registers.prove()
  await registers.prove()
  expect(registers.states(bench.machine.now())[0]?.health).toBe("UNAVAILABLE")
  expect(bench.logged.filter(({ event }) => event === "snapshot_unreadable")).toHaveLength(1)
  registers.close()
})

describe("a start", () => {
  test("removes files of a killed import, but not those of a running one", async () => {
    await using bench = registerBench()
    const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const left = join(bench.companiesHouseFiles, ".staging-snp_left")
    mkdirSync(left)
    writeFileSync(join(left, "register.sqlite"), "half")
    await withImportLock(bench.companiesHouseFiles, async () => {
      const { worker } = await openRegisterBoard(bench.parts)
      expect(existsSync(left)).toBe(true)
      await worker.stop()
    })
    const { board, worker } = await openRegisterBoard(bench.parts)
    expect(readdirSync(bench.companiesHouseFiles).sort()).toEqual(["import.lock", snapshotId ?? ""].sort())
    expect(board.find(REGISTER, "number", companyNumber(1))).not.toBeNull()
    worker.start()
    await worker.stop()
    expect(openFiles(bench.companiesHouseFiles)).toEqual([])
  })
})

test("an imported register has its changes of health recorded; the others have none", async () => {
  await using bench = registerBench()
  await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
  const { worker } = await openRegisterBoard(bench.parts)
  worker.start()
  const recorded = async () => (await bench.parts.store.read(() => sourceHistory(null, 10))).health
  try {
    for (const end = performance.now() + 8000; performance.now() < end && (await recorded()).length === 0; )
      await Bun.sleep(20)
    expect((await recorded()).map(({ sourceId, toHealth }) => [sourceId, toHealth])).toEqual([[REGISTER, "HEALTHY"]])
  } finally {
    await worker.stop()
  }
})

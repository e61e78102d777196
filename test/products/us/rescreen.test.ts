/** The screening of a supplier under its recorded identifiers is repeated from the publishers' own bytes (rulings 17, 89). */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { CompanyCheckFacts } from "../../../schemas/us/company-check.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { identifierKeys } from "../../../src/checks/us/supplier-identifiers.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { Report } from "../../../src/offline/report.ts"
import { gatherCompany, type UsSources } from "../../../src/products/us/company-facts.ts"
import { supplierFacts } from "../../../src/products/us/recorded-supplier.ts"
import { rescreenOperation } from "../../../src/products/us/rescreen.ts"
import { openBoard } from "../../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { NO_SUPPRESSIONS } from "../../../src/sources/screening/suppress.ts"
import { usBody } from "../../fixtures/answers.ts"
import { baseAnswerFacts } from "../../fixtures/delivered-answer.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { newDataDirectory } from "../../fixtures/new-data-directory.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { NO_REGISTERS } from "../../fixtures/test-server.ts"

let sources: UsSources
let snapshots: string
let close: () => Promise<void>

beforeAll(async () => {
  const directory = freshDirectory()
  const made = await newDataDirectory(directory.path)
  const { path: data, databaseFile } = made
  const folders = writeSampleLists(directory.path, { publishedAt: Date.now() })
  for (const id of REQUIRED_US_SOURCES) {
    const ran = await runCommand(importSource, [id, folders[id], "--data", data])
    if (ran.exit !== 0) throw new Error(ran.out + ran.err)
  }
  const { store, paths } = await openDataDirectory(data, {
    machine: realMachine,
    databaseFile,
    migrate: false,
    onFatal: () => {},
  })
  const log = createLog("error", () => {}, realMachine.now)
  const { board, worker } = await openBoard({
    store,
    machine: realMachine,
    log,
    disabled: [],
    snapshotsDirectory: paths.snapshots,
    sources: REQUIRED_US_SOURCES,
  })
  snapshots = paths.snapshots
  sources = { sources: board, registers: NO_REGISTERS, suppressions: () => NO_SUPPRESSIONS, fetching: false }
  close = async () => {
    await worker.stop()
    await store.close()
    await made.close()
    directory[Symbol.dispose]()
  }
})
afterAll(() => close())

const request = usBody()
const gathered = (recorded: readonly string[]) => ({
  ...gatherCompany(
    sources,
    request,
    { ...baseAnswerFacts("us.company.check.v1"), at: formatInstant(Date.now()), sources: [] },
    { recorded },
  ),
  passport_id: "psp_AAAAAAAAAAAAAAAAAAAAAA",
})
const rescreened = (facts: CompanyCheckFacts) => {
  const report = new Report()
  rescreenOperation(report, snapshots, request, facts)
  return report
}

test("a listed identifier that the request does not name is found again, and an edited fact is detected", () => {
  const facts = gathered(["cage:0ZZ01"])
  expect([...Value.Errors(CompanyCheckFacts, facts)]).toEqual([])
  expect([facts.screening.state, facts.recorded_supplier?.screening.state]).toEqual(["CLEAR", "POSSIBLE_MATCH"])
  const report = rescreened(facts)
  expect(report.lines.filter(({ state }) => state !== "OK")).toEqual([])
  expect(report.lines.map(({ check }) => check)).toContain("screening of the recorded identifiers")

  const { recorded_supplier: recorded } = facts
  if (!recorded) throw new Error("nothing was recorded")
  for (const edited of [
    { ...recorded, screening: facts.screening },
    { ...recorded, identifiers: ["lei:5493001KJTIIGC8Y1R12"] },
  ]) {
    expect(rescreened({ ...facts, recorded_supplier: edited }).conclusion).toBe("INVALID")
  }
})

test("a listed name that the request does not give is found again", () => {
  const index = sources.sources.index()
  const given = { index, registers: NO_REGISTERS, suppressions: NO_SUPPRESSIONS, at: Date.now() }
  const recorded = { identifiers: identifierKeys(request.company.identifiers), names: ["BRAMBLEWICK PAVING, INC."] }
  const supplier = supplierFacts({ ...given, tolerance: "MEDIUM" }, request.company, recorded)
  const facts = { ...gathered([]), ...supplier }
  expect([...Value.Errors(CompanyCheckFacts, facts)]).toEqual([])
  expect(facts.recorded_supplier?.other_names?.map(({ screening }) => screening.state)).toEqual(["POSSIBLE_MATCH"])
  const report = rescreened(facts)
  expect(report.lines.filter(({ state }) => state !== "OK")).toEqual([])
  expect(report.lines.map(({ check }) => check)).toContain("screening of a recorded name")
})

test("facts without recorded identifiers have no such member, and one screening", () => {
  const facts = gathered([])
  expect("recorded_supplier" in facts).toBe(false)
  expect(rescreened(facts).lines.filter(({ check }) => check.startsWith("screening"))).toHaveLength(1)
})

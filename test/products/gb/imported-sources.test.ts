/** Companies and listed parties as their publishers' own files tell them, imported by the operator's command, up to the decision. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Value } from "@sinclair/typebox/value"
import { GbPaymentFacts } from "../../../schemas/gb/payment.ts"
import { policyInForce } from "../../../src/answers/answer-rules.ts"
import { command as importSource } from "../../../src/cli/sources-import.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data-directory.ts"
import { Report } from "../../../src/delivery/report.ts"
import { createLog } from "../../../src/log.ts"
import { realMachine } from "../../../src/machine.ts"
import { gatherPayment } from "../../../src/products/gb/payment/facts.ts"
import { type GbPayment, gbPaymentRules } from "../../../src/products/gb/payment/rules.ts"
import { rescreenUkAnswer } from "../../../src/products/gb/rescreen.ts"
import { nameQuery } from "../../../src/products/gb/supplier-facts.ts"
import { type GbSources, gbStandings } from "../../../src/products/gb/supplier-sources.ts"
import { openBoard } from "../../../src/sources/open-board.ts"
import { REQUIRED_GB_SOURCES } from "../../../src/sources/party.ts"
import { openRegisters } from "../../../src/sources/registers/open-register-board.ts"
import { REGISTER_ADAPTERS } from "../../../src/sources/registers/registry.ts"
import { foldName } from "../../../src/sources/screening/fold.ts"
import { nameForm } from "../../../src/sources/screening/name-form.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { entryHash, NO_SUPPRESSIONS, screenedPartyDigest } from "../../../src/sources/screening/suppress.ts"
import { type BulkCells, bulkFiles, companyNumber } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { gbPaymentBody } from "../../fixtures/gb.ts"
import { gbFacts } from "../../fixtures/gb-facts.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { UK_ORGANISATION, type UkRow, ukRows, ukSanctionsFile } from "../../fixtures/uk-sanctions-list.ts"

const NOW = Date.now()
/** Enough that two texts nobody knows are no change of the form. */
const ROWS = 2500
/** First of the month, as the publisher dates its file. */
const DAY_OF_FILE = `${formatInstant(NOW - 5 * DAY).slice(0, 10)}`
const ukDate = (at: number) => formatInstant(at).slice(0, 10).split("-").reverse().join("/")

/** Nothing is against it: what a case changes is all that is. */
const FAIR: BulkCells = {
  CompanyStatus: "Active",
  CompanyCategory: "Private Limited Company",
  DissolutionDate: "",
  IncorporationDate: "04/03/2015",
  "Accounts.NextDueDate": ukDate(NOW + 200 * DAY),
  "PreviousName_1.CompanyName": "",
  "PreviousName_1.CONDATE": "",
}

interface Case {
  readonly cells: BulkCells
  /** The registered name unless given. */
  readonly invoiceName?: string
  readonly codes: readonly string[]
}

const NAME = "AMBER QUARRY JOINERY LIMITED"
const named = (name: string, cells: BulkCells = {}): BulkCells => ({ ...FAIR, CompanyName: name, ...cells })
const CLEAR = ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"]

const CASES: Readonly<Record<string, Case>> = {
  active: { cells: named(NAME), codes: CLEAR },
  "with its name written otherwise": { cells: named(NAME), invoiceName: "Amber Quarry Joinery Ltd.", codes: CLEAR },
  dissolved: {
    cells: named(NAME, { CompanyStatus: "Dissolved", DissolutionDate: "01/02/2026" }),
    codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
  },
  closed: {
    cells: named(NAME, { CompanyStatus: "Converted / Closed" }),
    codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
  },
  "of a status nobody has read": {
    cells: named(NAME, { CompanyStatus: "Dormant by decree" }),
    codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
  },
  "without a status": {
    cells: named(NAME, { CompanyStatus: "" }),
    codes: ["EVIDENCE_INSUFFICIENT", "LIMITED_COVERAGE"],
  },
  "in liquidation": {
    cells: named(NAME, { CompanyStatus: "Liquidation" }),
    codes: ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"],
  },
  "in administration": {
    cells: named(NAME, { CompanyStatus: "In Administration" }),
    codes: ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"],
  },
  "in receivership": {
    cells: named(NAME, { CompanyStatus: "Live but Receiver Manager on at least one charge" }),
    codes: ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"],
  },
  "about to be struck off": {
    cells: named(NAME, { CompanyStatus: "Active - Proposal to Strike off" }),
    codes: ["COMPANY_STRIKE_OFF_PROPOSED", "LIMITED_COVERAGE"],
  },
  "with accounts overdue": {
    cells: named(NAME, { "Accounts.NextDueDate": ukDate(NOW - 60 * DAY) }),
    codes: ["ACCOUNTS_OVERDUE", "LIMITED_COVERAGE"],
  },
  "newly incorporated": {
    cells: named(NAME, { IncorporationDate: ukDate(NOW - 20 * DAY) }),
    codes: ["RECENTLY_INCORPORATED", "LIMITED_COVERAGE"],
  },
  "renamed, with its old name on the invoice": {
    cells: named(NAME, {
      "PreviousName_1.CompanyName": "COBALT FERRY LIMITED",
      "PreviousName_1.CONDATE": "16/05/2018",
    }),
    invoiceName: "Cobalt Ferry Ltd",
    codes: ["INVOICE_NAME_IS_PREVIOUS_NAME", "LIMITED_COVERAGE"],
  },
  "with a name like its own on the invoice": {
    cells: named(NAME),
    invoiceName: "Amber Quarry Joinery PLC",
    codes: ["INVOICE_NAME_SIMILAR", "LIMITED_COVERAGE"],
  },
  "with a stranger's name on the invoice": {
    cells: named(NAME),
    invoiceName: "Pewter Magpie Catering Ltd",
    codes: ["INVOICE_NAME_MISMATCH", "LIMITED_COVERAGE"],
  },
  listed: { cells: named(UK_ORGANISATION), codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"] },
  "with a name like a listed one": {
    cells: named("GRANITE FYORD HOLDINGS LIMITED"),
    codes: ["SANCTIONS_POSSIBLE_MATCH", "LIMITED_COVERAGE"],
  },
  "listed under the name it had": {
    cells: named(NAME, { "PreviousName_1.CompanyName": UK_ORGANISATION, "PreviousName_1.CONDATE": "16/05/2025" }),
    codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"],
  },
  "listed by its number": { cells: named(NAME), codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"] },
  "of a number that a foreign register gave out too": { cells: named(NAME), codes: CLEAR },
}
const names = Object.keys(CASES)
const numberOf = (name: string) => companyNumber(names.indexOf(name))

/** Two listed organisations under names of their own: one with a British number, one with the same digits of another country. */
const numbered = (id: string, name: string, registration: string): UkRow => ({
  "Unique ID": id,
  "Name 6": name,
  "Name type": "Primary Name",
  "Regime Name": "The Invented Matters (Sanctions) Regulations 2025",
  "Designation Type": "Entity",
  "Sanctions Imposed": "Asset freeze",
  "Business registration number (s)": registration,
})
const LIST: readonly UkRow[] = [
  ...ukRows,
  numbered(
    "TST0101",
    "VERMILION PIER LOGISTICS",
    `Company number: ${numberOf("listed by its number")} (United Kingdom)`,
  ),
  numbered(
    "TST0102",
    "SAFFRON MESA TRADING",
    `Company number: ${numberOf("of a number that a foreign register gave out too")} (Russia)`,
  ),
]

let sources: GbSources
let snapshots: string
let close: () => Promise<void>

beforeAll(async () => {
  const directory = freshDirectory()
  const data = join(directory.path, "data")
  await createDataDirectory(data, "test", realMachine)
  const changes = Object.fromEntries(names.map((name, row) => [row, CASES[name]?.cells ?? {}]))
  for (const [id, files] of [
    ["UK_COMPANIES_HOUSE", bulkFiles("zip", ROWS, { day: DAY_OF_FILE, changes })],
    ["UK_SANCTIONS_LIST", [ukSanctionsFile({ publishedAt: NOW }, LIST)]],
  ] as const) {
    const folder = join(directory.path, id)
    mkdirSync(folder)
    for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes)
    const ran = await runCommand(importSource, [id, folder, "--data", data])
    if (ran.exit !== 0) throw new Error(ran.out + ran.err)
  }
  const { store, paths } = await openDataDirectory(data, { machine: realMachine, migrate: false, onFatal: () => {} })
  const log = createLog("error", () => {}, realMachine.now)
  const common = { store, machine: realMachine, log, disabled: [] }
  const list = await openBoard({ ...common, snapshotsDirectory: paths.snapshots, sources: REQUIRED_GB_SOURCES })
  const registers = await openRegisters({ ...common, root: paths.snapshots, adapters: REGISTER_ADAPTERS })
  snapshots = paths.snapshots
  sources = {
    machine: realMachine,
    list: list.board,
    live: null,
    registers,
    suppressions: () => NO_SUPPRESSIONS,
    fetching: false,
  }
  close = async () => {
    await list.worker.stop()
    registers.close()
    await store.close()
    directory[Symbol.dispose]()
  }
})
afterAll(() => close())

async function decided(companyNumber: string, invoiceName: string, context = sources) {
  const request = gbPaymentBody({
    company_number: companyNumber,
    invoice: { company_number: companyNumber, invoice_company_name: invoiceName },
  })
  const base = { ...gbFacts(gbPaymentRules.id), at: formatInstant(Date.now()), sources: [] }
  const facts = await gatherPayment(context, request, base, null)
  return {
    request,
    facts,
    core: gbPaymentRules.decide(request, facts, policyInForce(gbPaymentRules) as GbPayment["policy"]),
  }
}

test("both publications are healthy when they were imported", () => {
  expect(gbStandings(sources, Date.now()).map(({ sourceId, health }) => [sourceId, health])).toEqual([
    ["UK_COMPANIES_HOUSE", "HEALTHY"],
    ["UK_SANCTIONS_LIST", "HEALTHY"],
  ])
})

test.each(names)("a company %s", async (name) => {
  const { cells, invoiceName = cells["CompanyName"] ?? "", codes } = CASES[name] ?? { cells: {}, codes: [] }
  const { facts, core } = await decided(numberOf(name), invoiceName)
  expect([...Value.Errors(GbPaymentFacts, facts)]).toEqual([])
  expect(core.reason_codes).toEqual([...codes])
  expect(core.limitations).toContain("REGISTER_IS_MONTHLY_FILE")
  for (const { claims } of core.evidence) {
    for (const claim of claims) expect(claim).toMatch(/^(CALLER_ATTESTATION|[A-Z_0-9]+:[^:]+)$/)
  }
})

test("a number the file does not have is not registered, and its invoice name is screened all the same", async () => {
  const { core } = await decided("00000099", UK_ORGANISATION)
  expect(core).toMatchObject({
    decision: "BLOCK",
    reason_codes: ["COMPANY_NOT_REGISTERED", "SANCTIONS_MATCH", "LIMITED_COVERAGE"],
    coverage: { supported: false },
    result: { gates: { supplier: "DENY", invoice: "HOLD", payee: "ALLOW" } },
  })
  expect(core.limitations).toEqual(
    expect.arrayContaining(["DISSOLVED_AND_NEWEST_COMPANIES_NOT_IN_MONTHLY_FILE", "INVOICE_NAME_NOT_COMPARED"]),
  )
})

test("the evidence names the snapshots that were asked", async () => {
  const { facts, core } = await decided(numberOf("active"), NAME)
  const [register] = core.evidence.filter(({ source_id: id }) => id === "UK_COMPANIES_HOUSE")
  const list = core.evidence.filter(({ source_id: id }) => id === "UK_SANCTIONS_LIST")
  expect(register?.claims).toEqual(
    expect.arrayContaining(["REGISTER:MONTHLY_FILE", "COMPANY_STATUS:ACTIVE", "INCORPORATED:2015-03-04"]),
  )
  expect(list.map(({ claims }) => claims[0])).toEqual(["SCREENED:REGISTERED_NAME"])
  expect(list[0]?.raw_sha256).toBe(facts.sources[0]?.raw_sha256 ?? "")
  expect(facts.company.snapshot_id).not.toBeNull()
})

const SIMILAR = "a name like a listed one"
const judged = (): GbSources => {
  const index = sources.list.index()
  const query = nameQuery("GRANITE FYORD HOLDINGS LIMITED")
  const [hit] = screen(index, query).hits
  const { party = -1 } =
    index.search.find([nameForm(foldName(UK_ORGANISATION).readings[0] ?? "", "org")], "org")[0] ?? {}
  const entry = index.tables.partyAt(party)
  if (hit?.entryId !== entry.entryId) throw new Error("another entry")
  const partyDigest = screenedPartyDigest(query) ?? ""
  const one = {
    suppressionId: "sup_1",
    partyDigest,
    sourceId: entry.sourceId,
    entryId: entry.entryId,
    entryHash: entryHash(entry),
    recordDigest: digestOf("record"),
    createdAt: formatInstant(NOW - DAY),
    expiresAt: formatInstant(NOW + DAY),
  }
  return { ...sources, suppressions: () => new Map([[partyDigest, [one]]]) }
}

test("a likeness the operator has judged to be another company is stated and decides nothing", async () => {
  const { core } = await decided(numberOf(`with ${SIMILAR}`), "Granite Fyord Holdings Limited", judged())
  expect(core.reason_codes).toEqual(CLEAR)
  expect(core.limitations).toContain("OPERATOR_SUPPRESSION_APPLIED")
})

describe("screened again on the bytes that were kept", () => {
  test.each([
    ["listed", () => sources],
    ["listed under the name it had", () => sources],
    ["listed by its number", () => sources],
    [`with ${SIMILAR}`, () => sources],
    [`with ${SIMILAR}`, judged],
  ])("a company %s comes out the same, and an edited fact does not", async (name, context) => {
    const { request, facts } = await decided(numberOf(name), CASES[name]?.cells["CompanyName"] ?? "", context())
    const report = new Report()
    rescreenUkAnswer(report, snapshots, request, facts)
    expect(report.lines.filter(({ state }) => state !== "OK" && state !== "NOTE")).toEqual([])
    expect(report.lines.map(({ check }) => check)).toContain("screening of REGISTERED_NAME")

    const [first, ...others] = facts.screened_names
    if (!first) throw new Error("nothing was screened")
    const edited = { ...first, screening: { ...first.screening, best_score: 0.01 } }
    const again = new Report()
    rescreenUkAnswer(again, snapshots, request, { ...facts, screened_names: [edited, ...others] })
    expect(again.conclusion).toBe("INVALID")
  })

  test("without the bytes nothing is said about it", async () => {
    const { request, facts } = await decided(numberOf("active"), NAME)
    const report = new Report()
    rescreenUkAnswer(report, join(snapshots, "elsewhere"), request, facts)
    expect(report.conclusion).toBe("NOT_CHECKED")
  })
})

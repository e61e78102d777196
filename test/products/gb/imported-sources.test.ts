/** Companies and listed parties from their publishers' own file formats, from the operator's import to the decision. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Value } from "@sinclair/typebox/value"
import { GbPaymentFacts } from "../../../schemas/gb/payment.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { Report } from "../../../src/offline/report.ts"
import { policyInForce } from "../../../src/products/common/answer-rules.ts"
import { failedSources, SourceFailure } from "../../../src/products/common/source-failure.ts"
import { unchargedReply } from "../../../src/products/common/uncharged-reply.ts"
import { gatherPayment } from "../../../src/products/gb/payment/facts.ts"
import { gbPayment } from "../../../src/products/gb/payment/product.ts"
import { type GbPayment, gbPaymentRules } from "../../../src/products/gb/payment/rules.ts"
import { rescreenUkAnswer } from "../../../src/products/gb/rescreen.ts"
import { nameQuery } from "../../../src/products/gb/supplier-facts.ts"
import { type GbSources, gbSourceStates } from "../../../src/products/gb/supplier-sources.ts"
import { openBoard } from "../../../src/sources/boards/open-board.ts"
import { openRegisters } from "../../../src/sources/boards/open-register-board.ts"
import { REQUIRED_GB_SOURCES } from "../../../src/sources/records/party.ts"
import { REGISTER_ADAPTERS } from "../../../src/sources/register-registry.ts"
import { foldName } from "../../../src/sources/screening/fold.ts"
import { nameForm } from "../../../src/sources/screening/name-form.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { entryHash, NO_SUPPRESSIONS, screenedPartyDigest } from "../../../src/sources/screening/suppress.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { gbPaymentBody } from "../../fixtures/gb.ts"
import { gbFacts } from "../../fixtures/gb-facts.ts"
import { newDataDirectory } from "../../fixtures/new-data-directory.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { UK_ORGANISATION, ukSanctionsFile } from "../../fixtures/uk-sanctions-list.ts"
import { CASES, CLEAR, DAY_OF_FILE, LIST, NAME, NOW, names, numberOf, ROWS } from "./imported-cases.ts"

let sources: GbSources
let snapshots: string
let close: () => Promise<void>

beforeAll(async () => {
  const directory = freshDirectory()
  const made = await newDataDirectory(directory.path)
  const { path: data, databaseFile } = made
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
  const { store, paths } = await openDataDirectory(data, {
    machine: realMachine,
    databaseFile,
    migrate: false,
    onFatal: () => {},
  })
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
    await made.close()
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

test("both publications are healthy after their import", () => {
  expect(gbSourceStates(sources, Date.now(), "00000099").map(({ sourceId, health }) => [sourceId, health])).toEqual([
    ["UK_COMPANIES_HOUSE", "HEALTHY"],
    ["UK_SANCTIONS_LIST", "HEALTHY"],
  ])
})

test.each(names)("a company %s gets the expected decision", async (name) => {
  const { cells, invoiceName = cells["CompanyName"] ?? "", codes } = CASES[name] ?? { cells: {}, codes: [] }
  const { facts, core } = await decided(numberOf(name), invoiceName)
  expect([...Value.Errors(GbPaymentFacts, facts)]).toEqual([])
  expect(core.reason_codes).toEqual([...codes])
  expect(core.limitations).toContain("REGISTER_IS_MONTHLY_FILE")
  for (const { claims } of core.evidence) {
    for (const claim of claims) expect(claim).toMatch(/^(CALLER_ATTESTATION|[A-Z_0-9]+:[^:]+)$/)
  }
})

/** As if the imported file had as many companies as the publisher's. */
const wholeRegister = (): GbSources => ({
  ...sources,
  registers: {
    find: (id, scheme, value) => sources.registers.find(id, scheme, value),
    states: (at) =>
      sources.registers
        .states(at)
        .map((state) => ({ ...state, snapshot: state.snapshot && { ...state.snapshot, isIncomplete: false } })),
  },
})

test("a number that a complete monthly file lacks needs a person's review, and its invoice name is still screened", async () => {
  const { core } = await decided("00000099", "Pewter Magpie Catering Ltd", wholeRegister())
  expect(core).toMatchObject({
    decision: "REVIEW",
    machine_action: "HOLD_FOR_HUMAN_REVIEW",
    reason_codes: ["COMPANY_NOT_IN_MONTHLY_FILE", "LIMITED_COVERAGE"],
    required_information: ["/company_number"],
  })
  const listed = await decided("00000099", UK_ORGANISATION, wholeRegister())
  expect(listed.core).toMatchObject({
    decision: "BLOCK",
    reason_codes: ["COMPANY_NOT_IN_MONTHLY_FILE", "SANCTIONS_MATCH", "LIMITED_COVERAGE"],
    coverage: { supported: false },
  })
  expect(core.limitations).toEqual(
    expect.arrayContaining([
      "DISSOLVED_AND_NEWEST_COMPANIES_NOT_IN_MONTHLY_FILE",
      "INVOICE_NAME_NOT_COMPARED",
      "SOURCE_IS_SAMPLE",
    ]),
  )
})

test("a number that a register below its minimum size lacks is not decided: no quote and no charge", async () => {
  const sourceStates = gbSourceStates(sources, Date.now(), "00000099")
  expect(failedSources(sourceStates, Date.now())).toEqual([
    { sourceId: "UK_COMPANIES_HOUSE", health: "UNAVAILABLE", code: "SOURCE_INCOMPLETE" },
  ])
  const failure = await decided("00000099", NAME).catch((error: unknown) => error)
  if (!(failure instanceof SourceFailure)) throw new Error(`decided: ${failure}`)
  const request = gbPaymentBody({ company_number: "00000099" })
  const uncharged = unchargedReply({ machine: realMachine, network: "eip155:8453" }, gbPayment(sources), {
    request,
    failure,
    at: Date.now(),
  })
  expect(uncharged.body).toMatchObject({
    decision: "NO_DECISION",
    machine_action: "STOP_AND_SEEK_ALTERNATIVE",
    reason_codes: expect.arrayContaining(["SOURCE_INCOMPLETE"]),
    economic_activity: { charged: false, quote_created: false },
  })
  // A company in the file is still decided as usual.
  expect(failedSources(gbSourceStates(sources, Date.now(), numberOf("active")), Date.now())).toEqual([])
})

test("evidence states the day of each publication, that it is a sample, and what its import found", async () => {
  const { core } = await decided(numberOf("active"), NAME)
  const [register] = core.evidence.filter(({ source_id: id }) => id === "UK_COMPANIES_HOUSE")
  expect(register?.claims).toEqual(
    expect.arrayContaining([
      `PUBLISHED:${DAY_OF_FILE}`,
      "PUBLISHED_FROM:FILE_NAME",
      "SOURCE_LIMITATION:SAMPLE",
      "IMPORT_FINDING:BELOW_EXPECTED",
    ]),
  )
  const [list] = core.evidence.filter(({ source_id: id }) => id === "UK_SANCTIONS_LIST")
  expect(list?.claims).toEqual(expect.arrayContaining(["PUBLISHED_FROM:CONTENT", "IMPORT_FINDING:END_UNPROVEN"]))
  expect(core.limitations).toContain("SOURCE_IS_SAMPLE")
})

test("the evidence names the snapshots that were used", async () => {
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
  const { party = -1 } = index.search.find([nameForm(foldName(UK_ORGANISATION).readings[0] ?? "", "org")])[0] ?? {}
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

test("a similar name that the operator judged to be another company is stated and decides nothing", async () => {
  const { core } = await decided(numberOf(`with ${SIMILAR}`), "Granite Fyord Holdings Limited", judged())
  expect(core.reason_codes).toEqual(CLEAR)
  expect(core.limitations).toContain("OPERATOR_SUPPRESSION_APPLIED")
})

describe("a second screening on the stored bytes", () => {
  test.each([
    ["listed", () => sources],
    ["listed under the name it had", () => sources],
    ["listed by its number", () => sources],
    [`with ${SIMILAR}`, () => sources],
    [`with ${SIMILAR}`, judged],
  ])("gives the same result for a company %s, and detects an edited fact", async (name, context) => {
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

  test("reports no result without the bytes", async () => {
    const { request, facts } = await decided(numberOf("active"), NAME)
    const report = new Report()
    rescreenUkAnswer(report, join(snapshots, "elsewhere"), request, facts)
    expect(report.conclusion).toBe("NOT_CHECKED")
  })
})

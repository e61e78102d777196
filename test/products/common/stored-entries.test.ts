import { afterAll, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import type { ScreeningFact, ScreeningHit } from "../../../schemas/screening-facts.ts"
import { CompanyCheckFacts } from "../../../schemas/us/company-check.ts"
import { createLog } from "../../../src/base/log.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { Report } from "../../../src/offline/report.ts"
import { rescreenEntries } from "../../../src/products/common/rescreen-entries.ts"
import { storedEntries, withEntries, withoutEntries } from "../../../src/products/common/stored-entries.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { rescreenOperation } from "../../../src/products/us/rescreen.ts"
import { supplierQuery } from "../../../src/products/us/screening.ts"
import { boardByRounds } from "../../../src/sources/boards/open-board.ts"
import { sourceFact } from "../../../src/sources/boards/source-fact.ts"
import { EntryBook, type ListedEntries } from "../../../src/sources/details/entry-book.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { screeningFact } from "../../../src/sources/screening/screening-fact.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { importBench, START } from "../../sources/import-bench.ts"

const bench = importBench()
afterAll(() => bench[Symbol.asyncDispose]())
const book = new EntryBook({
  store: bench.store,
  root: bench.root,
  log: bench.log,
  build: async () => ({ fault: "none" }),
})
afterAll(() => book.stop())

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

function hit(id: string): ScreeningHit {
  const [one] = companyCheckFacts().screening.near_misses
  const words = { query_words: [], pairs: [], query_left_over: [], listed_left_over: [] }
  const nothing = {
    identifier: "ABSENT",
    country: "ABSENT",
    address: "ABSENT",
    birth_date: "ABSENT",
    type: "ABSENT",
  } as const
  return {
    ...one,
    ...{ source_id: "US_OFAC_SDN", entry_id: id, list: "SDN", programs: [], party_type: "org", measure: "block" },
    ...{ matched_name: `NAME ${id}`, name_kind: "primary", score: 1, basis: "EXACT_NAME", tier: "HOLD" },
    corroboration: nothing,
    explanation: { ...words, multipliers: [], information_sum: 1, identifier: null },
  }
}

function screeningOf(ids: readonly string[]): ScreeningFact {
  const { screening } = companyCheckFacts()
  return { ...screening, state: "POSSIBLE_MATCH", hits: ids.map(hit), hit_count: ids.length }
}

/** Entries of about 12 KiB. */
const large: ListedEntries = {
  entryOf: (source_id, _, entry_id) => ({
    detailsVersion: "v/1",
    details: {
      ...{ source_id, entry_id, names: [{ text: `NAME ${entry_id}`, kind: "primary", quality: "NOT_STATED" }] },
      addresses: Array.from({ length: 150 }, (__, at) => ({
        text: `${at} Quay Street, Harbour Town, Country of ${entry_id} ${"x".repeat(30)}`,
      })),
    } satisfies EntryDetails,
  }),
}

test("an answer with 50 hits of entries of 12 KiB stores at most 64 KiB of them, and says what it left out", () => {
  const ids = Array.from({ length: 50 }, (_, at) => String(at))
  expect(bytes(large.entryOf("US_OFAC_SDN", "", "1")?.details)).toBeGreaterThan(12 * 1024)
  const facts = withEntries(companyCheckFacts({ screening: screeningOf(ids) }), large)
  const stored = storedEntries(facts).map(({ entry }) => entry)
  expect(stored.length).toBeLessThanOrEqual(10)
  expect(stored.reduce((sum, entry) => sum + bytes(entry), 0)).toBeLessThanOrEqual(64 * 1024)
  for (const entry of stored) expect(bytes(entry)).toBeLessThanOrEqual(8 * 1024)
  for (const entry of stored) expect((entry?.addresses?.length ?? 0) + (entry?.truncated?.addresses ?? 0)).toBe(150)
  expect(facts.screening.entries_left_out).toBe(50 - stored.length)
  expect(facts.screening.hits).toHaveLength(50)
  expect([...Value.Errors(CompanyCheckFacts, facts)]).toEqual([])
})

test("an entry is stored at its first hit; hits without details and facts without hits stay as they are", () => {
  const one = screeningOf(["1", "2"])
  const recorded = { identifiers: ["uei:X"], registration: null, screening: screeningOf(["2", "3"]) }
  const few: ListedEntries = {
    entryOf: (source, snapshot, id) => (id === "1" ? null : large.entryOf(source, snapshot, id)),
  }
  const facts = withEntries(companyCheckFacts({ screening: one, recorded_supplier: recorded }), few)
  expect(facts.screening.hits.map(({ entry }) => entry?.entry_id)).toEqual([undefined, "2"])
  expect(facts.recorded_supplier?.screening.hits.map(({ entry }) => entry?.entry_id)).toEqual([undefined, "3"])
  expect(facts.format).toBe("svc.answer-facts.v3")
  expect({ ...withoutEntries(facts), format: "svc.answer-facts.v2" }).toEqual(
    companyCheckFacts({ screening: one, recorded_supplier: recorded }),
  )
  const clear = companyCheckFacts()
  expect(withEntries(clear, large)).toBe(clear)
  expect(withEntries(clear, null)).toBe(clear)
})

test("an entry changes no decision, and its bundle has a format of its own", () => {
  const without = companyCheckFacts({ screening: screeningOf(["1"]) })
  const request = companyCheckRequest()
  const before = deliveredAnswer(companyCheckRules, request, without)
  const after = deliveredAnswer(companyCheckRules, request, withEntries(without, large))
  expect(after.answer).toEqual(before.answer)
  expect([before.bundle.format, after.bundle.format]).toEqual(["svc.answer-bundle.v2", "svc.answer-bundle.v3"])
})

/** Facts of a listed company from imported lists. */
async function listedFacts() {
  const lists = sampleLists({ publishedAt: START })
  for (const id of REQUIRED_US_SOURCES) await bench.bring(id, lists[id])
  const { store, machine, root: snapshotsDirectory } = bench
  const log = createLog("error", () => {}, machine.now)
  const parts = { store, machine, log, snapshotsDirectory, disabled: [], sources: REQUIRED_US_SOURCES, details: book }
  const { board } = await boardByRounds(parts)
  const request = companyCheckRequest({
    company: { legal_name: "VOSTOK MERIDIAN TRADING LLC", identifiers: { uei: "ZQGGHJH74DW7" } },
  })
  const query = supplierQuery(request.company, "MEDIUM")
  const gathered = companyCheckFacts({
    at: formatInstant(START),
    sources: board.states(START).flatMap((state) => sourceFact(state, START) ?? []),
    screening: screeningFact(screen(board.index(), query), query.threshold),
    registration: null,
  })
  return { request, facts: withEntries(gathered, book) }
}

test("a repeated screening compares the entries with the kept bytes, and says where it cannot", async () => {
  const { request, facts } = await listedFacts()
  expect(facts.screening.hits[0]?.entry).toMatchObject({ entry_id: "90001", programs: ["RUSSIA-EO14024"] })
  const linesOf = (given: CompanyCheckFacts) => {
    const report = new Report()
    rescreenOperation(report, bench.root, request, given)
    return report
  }
  const genuine = linesOf(facts)
  expect(genuine.lines.filter(({ state }) => state !== "OK")).toEqual([])
  expect(genuine.lines.map(({ check }) => check)).toContain("listed entries")

  const [first, ...others] = facts.screening.hits
  const changed = (entry: object) => ({
    ...facts,
    screening: { ...facts.screening, hits: [{ ...first!, entry: { ...first!.entry!, ...entry } }, ...others] },
  })
  const forged = linesOf(changed({ programs: ["OTHER"] }))
  expect(forged.lines.filter(({ state }) => state === "INVALID").map(({ check }) => check)).toEqual(["listed entries"])
  const older = linesOf(changed({ details_version: "us-ofac-sdn-details/0.9.0" }))
  expect(older.conclusion).toBe("VALID")
  expect(older.lines.find(({ check }) => check === "listed entries")).toMatchObject({ state: "NOTE" })
  const report = new Report()
  rescreenEntries(report, bench.root, changed({ removed_at: formatInstant(START) }), [])
  expect(report.lines[0]?.state).toBe("NOTE")
})

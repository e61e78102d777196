/** Many generated parties: a judgement of a held answer lifts exactly the same question, and no neighbour that the command calls not lifted. */
import { expect, test } from "bun:test"
import type { CompanyCheckRequest } from "../../../schemas/us/company-check.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { hitsOf } from "../../../src/case/hits.ts"
import { identifierKeys } from "../../../src/checks/us/supplier-identifiers.ts"
import { namedHits } from "../../../src/cli/suppressions/judged-party.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { formatInstant } from "../../../src/core/time.ts"
import type { GivenAnswer } from "../../../src/judgements/given-answer.ts"
import { judgedHits } from "../../../src/judgements/judged-hits.ts"
import { type Reached, reachOf, rowsOf } from "../../../src/judgements/judged-rows.ts"
import { liftedQuestions } from "../../../src/judgements/lifted-questions.ts"
import { policyInForce } from "../../../src/products/common/answer-rules.ts"
import { gatherPayment } from "../../../src/products/gb/payment/facts.ts"
import { gbPaymentRules } from "../../../src/products/gb/payment/rules.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { gatherCompany, type UsSources } from "../../../src/products/us/company-facts.ts"
import type { SourceBoard } from "../../../src/sources/boards/source-board.ts"
import { bookOf } from "../../../src/sources/boards/suppression-book.ts"
import type { CompanyRecord } from "../../../src/sources/publishers/uk-companies-house/company-record.ts"
import type { Party, SourceId } from "../../../src/sources/records/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { type ScreenQuery, screen } from "../../../src/sources/screening/screen.ts"
import {
  judgeOf,
  NO_SUPPRESSIONS,
  type ScreenedParty,
  type SuppressionBook,
} from "../../../src/sources/screening/suppress.ts"
import { usBody } from "../../fixtures/answers.ts"
import { baseAnswerFacts } from "../../fixtures/delivered-answer.ts"
import { Draw } from "../../fixtures/draw.ts"
import { GB_NUMBER, gbCompany, gbPaymentBody, gbSources } from "../../fixtures/gb.ts"
import { gbFacts } from "../../fixtures/gb-facts.ts"
import { leiFrom } from "../../fixtures/lei.ts"
import { blockedParty, healthyState } from "../../fixtures/list-states.ts"
import { registerBoard, registered } from "../../fixtures/register-board.ts"
import { NO_REGISTERS } from "../../fixtures/test-server.ts"

const LISTED = [
  "VOSTOK MERIDIAN TRADING LLC",
  "KESTREL HAVEN LOGISTICS CO.",
  "GRANITE FJORD HOLDINGS PLC",
  "QUILL HARBOUR SHIPPING CO.",
  "HALCYON RIDGE MICROSYSTEMS INC",
  "PALISADE NORTHERN ENERGY JSC",
]
const AT = Date.now()
const MAKING = { now: AT, random: realMachine.random }
const RECORD = { author: "R. Reviewer", reason: "another owner", expiresAt: AT + 1_000_000 }

/** Lists of one source, in use. */
function listsOf(sourceId: SourceId, others: readonly Partial<Party>[] = []) {
  const listed = [
    ...LISTED.map((name) => ({ name })),
    ...others.map((one) => ({ name: "COPPER WINDMILL PLC", ...one })),
  ]
  const parties = listed.map(
    (one, at): Party =>
      blockedParty({ sourceId, entryId: `9${at}`, list: "SDN", programs: [], line: { file: "x", number: at }, ...one }),
  )
  const index = new NameIndex({ snapshotIds: { [sourceId]: "snp_AAAAAAAAAAAAAAAAAAAAAA" }, parties })
  const board: SourceBoard = {
    index: () => index,
    states: (at) => {
      const state = healthyState(sourceId, at)
      return [{ ...state, snapshot: state.snapshot && { ...state.snapshot, snapshotId: "snp_AAAAAAAAAAAAAAAAAAAAAA" } }]
    },
  }
  return { board, lists: { index, sources: [], suppressions: NO_SUPPRESSIONS, entries: null, at: AT } }
}

const US = listsOf("US_OFAC_SDN")
const GB = listsOf("UK_SANCTIONS_LIST")

const draw = new Draw("two hundred parties")
const pick = <Item>(items: readonly Item[]): Item => items[draw.below(items.length)]!

/** A name that resembles a listed one and is not it. */
function similarName(index: NameIndex): string {
  for (;;) {
    const words = pick(LISTED).split(" ")
    const changed = pick<() => string>([
      () => words.filter((_, at) => at !== 1 + draw.below(words.length - 1)).join(" "),
      () => words.map((word, at) => (at === 0 ? word.slice(0, -1) + pick(["a", "e", "s"]) : word)).join(" "),
      () => [...words.slice(0, -1), pick(["Inc", "Ltd", "GmbH"])].join(" "),
      () =>
        words
          .map((word) => word[0] + word.slice(1).toLowerCase())
          .join(" ")
          .replace(/ \S+$/, ""),
    ])()
    const query: ScreenQuery = { name: changed, type: "org", identifiers: [], countries: [], threshold: 0.8 }
    if (screen(index, query).state === "POSSIBLE_MATCH") return changed
  }
}

function someIdentifiers(): Record<string, string> {
  const all = {
    uei: `Z${draw.text("ABCDEFGH23456789", 11)}`,
    lei: leiFrom(draw.text("ABCDEFG2345", 12)),
    cik: `1${draw.text("0123456789", 7)}`,
  }
  const kinds = pick([["uei"], ["lei"], ["uei", "lei"], ["lei", "cik"], ["uei", "lei", "cik"]] as const)
  return Object.fromEntries(kinds.map((kind) => [kind, all[kind]]))
}

/** One question, which can be asked again under judgements. */
interface Question {
  ask(book: SuppressionBook): Promise<GivenAnswer>
}

/** A sold company check, as the service decides it. */
function checked(
  company: CompanyCheckRequest["company"],
  { registers, recorded }: { readonly registers: UsSources["registers"]; readonly recorded: readonly string[] },
  book: SuppressionBook,
) {
  const request = usBody({ company })
  const sources: UsSources = { sources: US.board, registers, suppressions: () => book, fetching: false }
  const base = { ...baseAnswerFacts(companyCheckRules.id), at: formatInstant(AT), sources: [] }
  const gathered = gatherCompany(sources, request, base, { recorded })
  const facts = { ...gathered, passport_id: "psp_AAAAAAAAAAAAAAAAAAAAAA" }
  const answer = companyCheckRules.decide(request, facts, policyInForce(companyCheckRules))
  return { product: companyCheckRules.id, answer, request, facts }
}

function usQuestion(): Question {
  const name = similarName(US.lists.index)
  const identifiers = someIdentifiers()
  const isRegistered = identifiers["uei"] !== undefined && draw.below(2) === 0
  const company = { ...(!isRegistered && { legal_name: name }), identifiers }
  const registers = registerBoard(
    ["US_SAM_ENTITY"],
    isRegistered ? [registered("US_SAM_ENTITY", "uei", identifiers["uei"] ?? "", name)] : [],
  )
  return { ask: async (book) => checked(company, { registers, recorded: [] }, book) }
}

const keysOf = (identifiers: ScreenQuery["identifiers"]) => identifiers.map(({ scheme, value }) => `${scheme}:${value}`)

/** A company of which the buyer's records know two CAGE codes, and perhaps an LEI. */
function recordedQuestion(): Question {
  const [one = "", two = ""] = [draw, draw].map((from) => from.text("ABCDEFGH23456789", 5))
  const identifiers = { uei: `Z${draw.text("ABCDEFGH23456789", 11)}`, cage: one }
  const recorded = [...identifierKeys(identifiers), `cage:${two}`, ...pick([[], [`lei:${leiFrom(two)}`]])]
  const company = { legal_name: similarName(US.lists.index), identifiers }
  return { ask: async (book) => checked(company, { registers: NO_REGISTERS, recorded }, book) }
}

/** Each neighbour that a request can name is held by the sale too. */
function requireSaleHolds(book: SuppressionBook, { row, neighbours }: Pick<Reached, "row" | "neighbours">): number {
  const askable = neighbours.filter(
    ({ reach, party: { type, countries, identifiers } }) =>
      reach === "NOT_LIFTED" && type === "org" && countries.length === 0 && identifiers.length > 0,
  )
  for (const { party } of askable) {
    const identifiers = Object.fromEntries(party.identifiers.map(({ scheme, value }) => [scheme, value]))
    const known = { registers: NO_REGISTERS, recorded: keysOf(party.identifiers) }
    const { facts, answer } = checked({ legal_name: party.name, identifiers }, known, book)
    const { hits } = facts.recorded_supplier?.screening ?? facts.screening
    expect(hits.map((hit) => hit.entry_id)).toContain(row.entryId)
    expect(["REVIEW", "BLOCK"]).toContain(answer.decision)
  }
  return askable.length
}

function ukQuestion(): Question {
  const previous = Array.from({ length: 1 + draw.below(2) }, () => ({
    name: similarName(GB.lists.index),
    ceased_on: "2020-01-01",
  }))
  const name = draw.below(2) === 0 ? similarName(GB.lists.index) : "AMBER KETTLE LIMITED"
  return ukQuestionOf(gbCompany({ company_name: name, previous_company_names: previous }), name)
}

function ukQuestionOf(company: CompanyRecord, name: string, list = GB.board): Question {
  const request = gbPaymentBody({
    company_number: GB_NUMBER,
    invoice: { company_number: GB_NUMBER, invoice_company_name: name },
  })
  return {
    async ask(book) {
      const sources = { ...gbSources({ companies: [company] }), list, suppressions: () => book }
      const base = { ...gbFacts(gbPaymentRules.id), at: formatInstant(AT), sources: [] }
      const facts = await gatherPayment(sources, request, base, null)
      const answer = gbPaymentRules.decide(request, facts, policyInForce(gbPaymentRules) as never)
      return { product: gbPaymentRules.id, answer, request, facts }
    },
  }
}

/** Screenings of the answer in the order of its hits. */
const screeningsOf = ({
  facts: { screening, recorded_supplier: recorded, screened_names: names = [] },
}: GivenAnswer) => [
  ...(screening ? [screening] : []),
  ...(recorded ? [recorded.screening] : []),
  ...names.map((one) => one.screening),
]

/** `book`: of all judgements of the command, which count together. */
function requireStillHeld(
  index: NameIndex,
  book: SuppressionBook,
  { row, neighbours }: Pick<Reached, "row" | "neighbours">,
) {
  expect(neighbours).toHaveLength(12)
  for (const { party, reach, states } of neighbours) {
    const query = { ...party, threshold: 0.8 }
    const { hits, suppressedHits, state } = screen(index, query, judgeOf(book, query, AT))
    const isHit = hits.some(({ entryId }) => entryId === row.entryId)
    const isSuppressed = suppressedHits.some(({ entryId }) => entryId === row.entryId)
    expect([isHit, isSuppressed]).toEqual([reach === "NOT_LIFTED", reach === "LIFTED"])
    expect(reach === "NOT_LIFTED" ? ["POSSIBLE_MATCH", "MATCH"] : [state]).toContain(state)
    expect(states).toHaveLength(2)
  }
}

/** By the lists, as the command and the list of judgements ask, and without them, as the desk asks about the party of an answer. */
const isLifted = (index: NameIndex, { row }: Pick<Reached, "row">, isOfAnswer = true) => {
  const party = JSON.parse(row.party) as ScreenedParty
  const asked = isOfAnswer ? [index, undefined] : [index]
  return asked.map((one) => liftedQuestions(party, row.sourceId, one).isLifted)
}

const CASES = Array.from({ length: 200 }, (_, at) => (["US", "RECORDED", "GB", "COUNTRY"] as const)[at % 4]!)
test("a judgement lifts the question of 200 of 200 held answers, and no neighbour that it calls not lifted", async () => {
  let [lifted, sold] = [0, 0]
  for (const kind of CASES) {
    if (kind === "COUNTRY") {
      const name = similarName(US.lists.index)
      const identifiers = Object.entries(someIdentifiers()).map(([scheme, value]) => ({ scheme, value }))
      const party = { name, type: "org" as const, identifiers, countries: [pick(["US", "DE", "AE"])] }
      const [entryId = ""] = screen(US.lists.index, { ...party, threshold: 0.8 }).hits.map((hit) => hit.entryId)
      const hits = namedHits(US.lists.index, { party, entry: { sourceId: "US_OFAC_SDN", entryId } })
      const [one] = reachOf(US.lists, rowsOf(US.lists, hits, RECORD, MAKING))
      const query = { ...party, threshold: 0.8 }
      const again = screen(US.lists.index, query, judgeOf(bookOf(one ? [one.row] : []), query, AT))
      expect(again.hits.map((hit) => hit.entryId)).not.toContain(entryId)
      requireStillHeld(US.lists.index, bookOf([one!.row]), one!)
      expect(isLifted(US.lists.index, one!, false)).toEqual([false])
      lifted += 1
      continue
    }
    const { lists } = kind === "GB" ? GB : US
    const question = kind === "US" ? usQuestion() : kind === "GB" ? ukQuestion() : recordedQuestion()
    const held = await question.ask(NO_SUPPRESSIONS)
    const count = screeningsOf(held).reduce((sum, { hits }) => sum + hits.length, 0)
    expect(count).toBeGreaterThan(0)
    expect((held.answer as unknown as { decision: string }).decision).toBe("REVIEW")
    const asked = [held.request, held.answer, held.facts].map((one) => one as JsonValue)
    const shown = hitsOf({ request: asked[0], answer: asked[1], facts: asked[2], codes: new Set() }).hits
    // A page numbers the hits as the command does.
    expect(shown.map((hit) => [hit.number, hit.entry_id, hit.matched_name])).toEqual(
      screeningsOf(held)
        .flatMap(({ hits }) => hits)
        .map((hit, at) => [at + 1, hit.entry_id, hit.matched_name]),
    )
    const numbers = Array.from({ length: count }, (_, at) => String(at + 1))
    const reached = reachOf(
      lists,
      rowsOf(lists, judgedHits({ lists, root: "/nonexistent" }, held, numbers), RECORD, MAKING),
    )
    const book = bookOf(reached.map(({ row }) => row))
    const again = await question.ask(book)
    expect(screeningsOf(again).flatMap(({ hits }) => hits)).toEqual([])
    expect(screeningsOf(again).flatMap(({ suppressed_hits: hits = [] }) => hits)).toHaveLength(count)
    for (const one of reached) {
      requireStillHeld(lists.index, book, one)
      expect(isLifted(lists.index, one)).toEqual([true, true])
    }
    if (kind !== "GB") for (const one of reached) sold += requireSaleHolds(book, one)
    lifted += 1
  }
  expect(lifted).toBe(200)
  expect(sold).toBeGreaterThan(200)
})

test.each<readonly [what: string, written: readonly string[], isNumber: boolean]>([
  ["as the register writes it", ["09876543"], true],
  ["without its zero", ["9876543"], true],
  ["in both forms", ["09876543", "9876543"], true],
  ["and the company is another one", ["SC123456"], false],
])(
  "a UK list has the number of another entry %s: the judged hit on the name is lifted with it",
  async (_what, written, isNumber) => {
    const identifiers = written.map((value) => ({ scheme: "registration", value, country: "GB" }))
    const { board, lists } = listsOf("UK_SANCTIONS_LIST", [{ identifiers }])
    const name = similarName(lists.index)
    const company = gbCompany({ company_name: name })
    const question = ukQuestionOf(company, name, board)
    const held = await question.ask(NO_SUPPRESSIONS)
    const { hits = [] } = screeningsOf(held)[0] ?? {}
    expect(hits.map(({ basis }) => basis === "IDENTIFIER")).toEqual([...(isNumber ? [true] : []), false])
    const judged = judgedHits({ lists, root: "/nonexistent" }, held, [String(hits.length)])
    const [one] = reachOf(lists, rowsOf(lists, judged, RECORD, MAKING))
    expect(isLifted(lists.index, one!)).toEqual([true, true])
    const again = await question.ask(bookOf([one!.row]))
    expect(screeningsOf(again)[0]?.suppressed_hits?.map((hit) => hit.entry_id)).toEqual([one!.row.entryId])
    // The list has the number no more, so the next question is asked without it.
    expect(isLifted(GB.lists.index, one!, false)).toEqual([!isNumber])
    const elsewhere = listsOf("US_OFAC_SDN", [{ identifiers }]).lists.index
    expect(isLifted(elsewhere, one!, false)).toEqual([!isNumber])
  },
)

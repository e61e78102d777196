/** What a case says of hits and names that no person can clear: why, and a way out that the reader can take. */
import { describe, expect, test } from "bun:test"
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import { caseOf } from "../../src/case/case-of.ts"
import { whyUnjudgeable } from "../../src/case/unjudgeable.ts"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { screeningFact, screeningHit, screeningOf } from "../fixtures/decision.ts"
import { screenedName } from "../fixtures/gb-facts.ts"

const ANSWER = { decision: "REVIEW", machine_action: "HOLD_FOR_HUMAN_REVIEW" }
const notesOf = (facts: object, request: object = {}) =>
  caseOf({ answer: ANSWER, request, facts: JSON.parse(JSON.stringify(facts)) as JsonValue, policy: null })?.notes

const SIMILAR = screeningHit()
const EQUAL: ScreeningHit = screeningHit({ basis: "IDENTIFIER", entry_id: "307" })
const held = (...hits: readonly ScreeningHit[]) => ({ screening: screeningOf("POSSIBLE_MATCH", hits) })

describe("a hit that nobody can judge is named with its number and the way out", () => {
  const identifier = (numbers: string) =>
    `Nobody can judge listed entry ${numbers} to be another party: it has an identifier of the company. If the identifier is not the company's own, ask again with the right one.`
  const wallet = (numbers: string) =>
    `Nobody can judge listed entry ${numbers} to be another party: it has the wallet to which the money would go. Ask again with a wallet that is on no list.`

  test("an equal identifier", () => {
    expect(notesOf(held(EQUAL))).toEqual([identifier("1")])
    expect(notesOf(held(SIMILAR, EQUAL))).toEqual([identifier("2")])
  })

  test("an equal identifier of the buyer's records", () => {
    const recorded = { identifiers: [], screening: screeningOf("POSSIBLE_MATCH", [EQUAL]) }
    expect(notesOf({ ...held(SIMILAR), recorded_supplier: recorded })).toEqual([
      "Nobody can judge listed entry 2 to be another party: it has an identifier that the buyer's records know of the company. If the identifier is not the company's own, the buyer must have the operator correct the records.",
    ])
  })

  test("a wallet, which the lists know by an equal identifier too", () => {
    const wallets = { payee: EQUAL, payment_destination: EQUAL }
    expect(notesOf({ ...held(SIMILAR), wallet_hits: wallets })).toEqual([wallet("2, 3")])
    expect(notesOf({ ...held(EQUAL), wallet_hits: { payee: null, payment_destination: EQUAL } })).toEqual([
      identifier("1"),
      wallet("2"),
    ])
  })

  test("and a similar name is not", () => {
    expect(notesOf(held(SIMILAR))).toEqual([])
  })

  test("one hit that nobody can judge does not keep a person from judging the others", () => {
    expect(whyUnjudgeable({ leftOut: 0, problems: [] })).toEqual([])
  })
})

describe("a name that the program could not read", () => {
  const unread = screeningFact({ state: "INSUFFICIENT" })
  const script = screeningFact({ state: "SCRIPT_UNSUPPORTED", name_problems: ["海上運輸"] })
  const given = (name: string) =>
    `The program could not screen the whole name (${name}), so nobody can clear it. Ask again with the registered name in Latin letters.`
  const stated = (name: string) =>
    `The program could not screen a name that a register or the buyer's records state (${name}), so nobody can clear it. No new request changes that name: a person must compare it with the lists.`

  test("of the request is asked again", () => {
    expect(notesOf({ screening: unread }, { company: { legal_name: "A B" } })).toEqual([given("A B")])
    expect(
      notesOf({ screened_names: [screenedName({ role: "INVOICE_NAME", name: "A B", screening: unread })] }),
    ).toEqual([given("A B")])
  })

  test.each(["REGISTERED_NAME", "PREVIOUS_NAME"] as const)(
    "of the UK register cannot be asked otherwise: %s",
    (role) => {
      expect(notesOf({ screened_names: [screenedName({ role, name: "A B", screening: unread })] })).toEqual([
        stated("A B"),
      ])
      expect(notesOf({ screened_names: [screenedName({ role, screening: script })] })).toEqual([stated("海上運輸")])
    },
  )

  test("of the buyer's records cannot be asked otherwise", () => {
    const recorded = {
      identifiers: [],
      screening: screeningFact(),
      other_names: [{ legal_name: "A B", screening: unread }],
    }
    expect(notesOf({ screening: screeningFact(), recorded_supplier: recorded })).toEqual([stated("A B")])
  })
})

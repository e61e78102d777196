import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { PayeeVerificationFacts, PayeeVerificationRequest } from "../../../../schemas/us/payee-verification.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { PAYEE_VERIFICATION_POLICIES } from "../../../../src/products/us/payee-verification/policy.ts"
import { payeeVerificationRules as RULES } from "../../../../src/products/us/payee-verification/rules.ts"
import { DECIDED_AT, destination, SOURCE_IDS, screeningHit, sourceFact } from "../../../fixtures/decision.ts"
import { anyEarlierAnswers, anyHit, anyTime, anyUsFacts } from "../../../fixtures/us-arbitrary.ts"
import { bindingEvidence, earlierAnswer, INVOICE } from "../../../fixtures/us-invoice.ts"
import { decidesTotally } from "../decide-totally.ts"
import { verificationBody, verificationFacts } from "./reasons.ts"

const [POLICY] = PAYEE_VERIFICATION_POLICIES as [(typeof PAYEE_VERIFICATION_POLICIES)[number]]
const decideOn = (facts: Partial<PayeeVerificationFacts>, request: Partial<PayeeVerificationRequest> = {}) =>
  RULES.decide(verificationBody(DECIDED_AT, request), verificationFacts(facts), POLICY)
const CLOSING = ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"]
const after = (by: number) => formatInstant(DECIDED_AT + by)

describe("gates", () => {
  test("each state what they alone found", () => {
    const wallet_hits = { payee: screeningHit({ tier: "BLOCK" }), payment_destination: null }
    const weak = bindingEvidence(DECIDED_AT, { type: "SUPPLIER_STATEMENT" })
    const core = decideOn({ wallet_hits, registration: null }, { binding_evidence: weak })
    expect(core.result.gates).toEqual({
      company: "ALLOW",
      restricted_party: "ALLOW",
      invoice_payee: "DENY",
      binding: "ALLOW_WITH_CONDITIONS",
    })
    expect([core.decision, core.reason_codes]).toEqual(["BLOCK", ["WALLET_RESTRICTED", "PAYEE_BINDING_WEAK"]])
    expect(core.required_information).toEqual(["/binding_evidence"])
  })

  test("give the listed wallet in the evidence of its list, without its address", () => {
    const wallet_hits = { payee: null, payment_destination: screeningHit({ entry_id: "777" }) }
    const core = decideOn({ wallet_hits })
    const claims = core.evidence.find(({ source_id }) => source_id === "US_OFAC_SDN")?.claims
    expect(claims).toContain("WALLET_MATCH:777")
    expect(JSON.stringify(core)).not.toContain(destination().value)
  })

  test("report a payment to another place than the verified payee", () => {
    const elsewhere = destination(`0x${"cd".repeat(20)}`)
    const core = decideOn({}, { payment_destination: elsewhere })
    expect(core.limitations).toContain("DESTINATION_DIFFERS_FROM_PAYEE")
    expect(core.result.payee_fingerprint).toBe(destination().fingerprint)
    expect(decideOn({}).limitations).not.toContain("DESTINATION_DIFFERS_FROM_PAYEE")
  })
})

describe("the binding", () => {
  test.each([
    ["of ninety days ago still counts", { verified_at: after(-90 * DAY) }, CLOSING],
    ["of a moment more does not", { verified_at: after(-90 * DAY - 1) }, ["PAYEE_BINDING_TOO_OLD"]],
    ["of this moment counts", { verified_at: after(0) }, CLOSING],
    ["of the next moment does not", { verified_at: after(1) }, ["PAYEE_BINDING_NOT_YET_VALID"]],
    ["that ends in the next moment counts", { valid_until: after(1) }, CLOSING],
    ["that ends now does not", { valid_until: after(0) }, ["PAYEE_BINDING_EXPIRED"]],
  ])("%s", (_promise, changes, codes) => {
    const binding_evidence = bindingEvidence(DECIDED_AT, changes)
    expect(decideOn({}, { binding_evidence }).reason_codes).toEqual(codes)
  })
})

describe("earlier answers", () => {
  const sameInvoice = { obligation_key: "inv-2026-0042", document_digest: INVOICE.document_digest }
  const codesWith = (changes: Parameters<typeof earlierAnswer>[0]) =>
    decideOn({ earlier_answers: [earlierAnswer(changes)] }).reason_codes

  test("allow a second verification of the same invoice", () => {
    expect(codesWith({ ...sameInvoice, product: RULES.id, valid_until: after(HOUR) })).toEqual(CLOSING)
  })
  test("block with a current authorization of the obligation, and hold with an ended one", () => {
    expect(codesWith({ ...sameInvoice, valid_until: after(1) })).toEqual(["OBLIGATION_ALREADY_AUTHORIZED"])
    expect(codesWith({ ...sameInvoice, valid_until: after(0) })).toEqual(["OBLIGATION_AUTHORIZED_BEFORE"])
  })
  test("with the same obligation id at another company are about another obligation, but the same document stays the same", () => {
    const other = { supplier_key: "uei:ABCDEFGHJKL1", obligation_key: "inv-2026-0042" }
    expect(codesWith(other)).toEqual(CLOSING)
    expect(codesWith({ ...other, document_digest: INVOICE.document_digest })).toEqual([
      "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
    ])
  })
  test("compare obligation ids without spaces and letter case", () => {
    const earlier_answers = [earlierAnswer({ ...sameInvoice, valid_until: after(HOUR) })]
    const invoice = { ...INVOICE, obligation_id: " inv-2026 - 0042" }
    expect(decideOn({ earlier_answers }, { invoice }).reason_codes).toEqual(["OBLIGATION_ALREADY_AUTHORIZED"])
  })
})

test("an answer expires after an hour, with the first stale list or with the binding, whichever is first", () => {
  const until = (facts: Partial<PayeeVerificationFacts>, valid_until = after(DAY)) =>
    decideOn(facts, { binding_evidence: bindingEvidence(DECIDED_AT, { valid_until }) }).valid_until
  const soon = after(20 * MINUTE)
  expect(until({})).toBe(after(HOUR))
  expect(until({ sources: SOURCE_IDS.map((id) => sourceFact(id, { stale_at: soon })) })).toBe(soon)
  expect(until({}, soon)).toBe(soon)
  expect(until({}, after(-DAY))).toBe(after(HOUR))
})

test("any facts of the schema give one answer of the schema, the same one every time", () => {
  const requests = fc
    .record({
      type: fc.constantFrom("CONFIRMATION_OF_PAYEE", "SUPPLIER_STATEMENT", "IN_PERSON"),
      verified_at: anyTime,
      valid_until: anyTime,
    } as const)
    .map((changes) => verificationBody(DECIDED_AT, { binding_evidence: bindingEvidence(DECIDED_AT, changes) }))
  const facts = fc
    .record({
      us: anyUsFacts(RULES.id),
      wallet_hits: fc.record({ payee: fc.option(anyHit), payment_destination: fc.option(anyHit) }),
      earlier_answers: anyEarlierAnswers,
    })
    .map(({ us, ...changes }) => verificationFacts({ ...us, ...changes }))
  decidesTotally(RULES, requests, facts)
})

import { describe, expect, test } from "bun:test"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { decide } from "../../../../src/products/us/payment-decision/decide.ts"
import { PAYMENT_DECISION_POLICY as POLICY } from "../../../../src/products/us/payment-decision/policy.ts"
import {
  DECIDED_AT,
  decisionFacts,
  destination,
  earlierDecision,
  SOURCE_IDS,
  screeningFact,
  screeningHit,
  signedRequest,
  sourceFact,
} from "../../../fixtures/decision.ts"

describe("facts that lift a reason", () => {
  const request = signedRequest()
  const sameObligation = earlierDecision(request, {
    obligation_key: "inv-2026-0042",
    document_digest: request.invoice.document_digest,
  })
  const named = {
    reference: sameObligation.response_digest as string,
    kind: "DECISION" as const,
    payee_fingerprint: request.payee.fingerprint,
    destination_fingerprint: request.payment_destination.fingerprint,
    decided_at: sameObligation.decided_at,
  }
  const codesWith = (changes: Parameters<typeof decisionFacts>[1]) =>
    decide(request, decisionFacts(request, changes), POLICY).reason_codes

  test("an expired earlier authorization needs its answer named under a newer mandate", () => {
    expect(codesWith({ earlier_decisions: [sameObligation] })).toEqual(["OBLIGATION_AUTHORIZED_BEFORE"])
    expect(codesWith({ earlier_decisions: [sameObligation], resolved_references: [named] })).not.toContain(
      "OBLIGATION_AUTHORIZED_BEFORE",
    )
    const recent = { ...sameObligation, decided_at: formatInstant(DECIDED_AT), valid_until: formatInstant(DECIDED_AT) }
    expect(codesWith({ earlier_decisions: [recent], resolved_references: [named] })).toEqual([
      "OBLIGATION_AUTHORIZED_BEFORE",
    ])
  })

  test("an unexpired earlier authorization blocks even when named, and a conditional one counts", () => {
    const current = {
      ...sameObligation,
      valid_until: formatInstant(DECIDED_AT + 1),
      decision: "ALLOW_WITH_CONDITIONS" as const,
    }
    expect(codesWith({ earlier_decisions: [current], resolved_references: [named] })).toEqual([
      "OBLIGATION_ALREADY_AUTHORIZED",
    ])
  })

  test("an earlier HOLD or BLOCK authorized nothing and prevents nothing", () => {
    for (const decision of ["HOLD", "BLOCK", "UNDETERMINED"] as const) {
      expect(codesWith({ earlier_decisions: [{ ...sameObligation, decision }] })[0]).toBe(
        "CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE",
      )
    }
  })

  test("the same obligation id at another supplier is another obligation", () => {
    const other = { ...sameObligation, supplier_key: "uei:OTHER", document_digest: digestOf("other") }
    expect(codesWith({ earlier_decisions: [other] })[0]).toBe("CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE")
  })

  const elsewhere = [
    {
      fingerprint: destination(`0x${"cd".repeat(20)}`).fingerprint,
      basis: "ALLOW" as const,
      reference: digestOf("old"),
      recorded_at: formatInstant(DECIDED_AT - DAY),
    },
  ]
  test.each([
    [
      "a change authorization for this destination lifts a change",
      { kind: "CHANGE_AUTHORIZATION" as const },
      elsewhere,
      true,
    ],
    ["a payee verification does not lift a change", { kind: "PAYEE_VERIFICATION" as const }, elsewhere, false],
    ["a payee verification lifts a first payment", { kind: "PAYEE_VERIFICATION" as const }, [], true],
    ["a change authorization lifts a first payment", { kind: "CHANGE_AUTHORIZATION" as const }, [], true],
    [
      "a change authorization for another destination lifts nothing",
      { kind: "CHANGE_AUTHORIZATION" as const, destination_fingerprint: digestOf("x") as string },
      elsewhere,
      false,
    ],
    [
      "a payee verification over 90 days old lifts nothing",
      { kind: "PAYEE_VERIFICATION" as const, decided_at: formatInstant(DECIDED_AT - 90 * DAY - 1) },
      [],
      false,
    ],
    [
      "a payee verification of another payee lifts nothing",
      { kind: "PAYEE_VERIFICATION" as const, payee_fingerprint: digestOf("x") as string },
      [],
      false,
    ],
    ["a decision reference lifts no first payment", { kind: "DECISION" as const }, [], false],
  ])("%s", (_promise, changes, known, lifted) => {
    const codes = codesWith({
      known_destinations: known,
      resolved_references: [{ ...named, decided_at: formatInstant(DECIDED_AT - DAY), ...changes }],
    })
    expect(codes.includes("CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE")).toBe(lifted)
  })

  test("only the last destination counts: going back to an older one is a change", () => {
    const [old] = elsewhere
    const known = decisionFacts(request).known_destinations
    expect(codesWith({ known_destinations: [...known, ...(old ? [old] : [])] })).toEqual([
      "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
    ])
  })
})

describe("screening of restricted parties", () => {
  const request = signedRequest()
  const insufficient = (changes: Parameters<typeof decisionFacts>[1]) => {
    const core = decide(request, decisionFacts(request, changes), POLICY)
    expect(core.reason_codes).toEqual(["EVIDENCE_INSUFFICIENT"])
    expect([core.decision, core.machine_action]).toEqual(["UNDETERMINED", "HOLD_PAYMENT"])
    expect(core.uncertainty.present).toBe(true)
    return core
  }
  const sourcesWith = (changes: Parameters<typeof sourceFact>[1]) =>
    SOURCE_IDS.map((id) => sourceFact(id, id === "US_OFAC_SDN" ? changes : {}))

  test("with a missing list is never clear", () => {
    insufficient({ sources: SOURCE_IDS.slice(1).map((id) => sourceFact(id)) })
    insufficient({ sources: [] })
  })
  test("with an unhealthy list is never clear", () => {
    for (const health of ["STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"] as const) {
      expect(insufficient({ sources: sourcesWith({ health }) }).freshness.status).toBe("STALE")
    }
  })
  test("with a list that goes stale at the decision time is stale", () => {
    insufficient({ sources: sourcesWith({ stale_at: formatInstant(DECIDED_AT) }) })
  })
  test("of an unreadable name is never clear", () => {
    insufficient({ screening: screeningFact({ state: "SCRIPT_UNSUPPORTED", name_problems: ["MIXED_SCRIPT"] }) })
  })
  test("with a weaker threshold than the tolerance requires is never clear", () => {
    insufficient({ screening: screeningFact({ threshold: 0.85 }) })
  })
  test("that reports clear together with hits is never clear", () => {
    insufficient({ screening: screeningFact({ hits: [screeningHit()], hit_count: 1 }) })
  })
  test("blocks a listed wallet at either end of the payment", () => {
    for (const end of ["payee", "payment_destination"] as const) {
      const wallets = { payee: null, payment_destination: null, [end]: screeningHit({ tier: "BLOCK" }) }
      const core = decide(request, decisionFacts(request, { wallet_hits: wallets }), POLICY)
      expect([core.decision, core.machine_action]).toEqual(["BLOCK", "BLOCK_PAYMENT"])
    }
  })
})

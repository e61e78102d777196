import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { PaymentAuthorizationFacts } from "../../../../schemas/us/payment-authorization.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { PAYMENT_AUTHORIZATION_POLICIES } from "../../../../src/products/us/payment-authorization/policy.ts"
import { paymentAuthorizationRules as RULES } from "../../../../src/products/us/payment-authorization/rules.ts"
import { DECIDED_AT, SOURCE_IDS, screeningHit, screeningOf, sourceFact } from "../../../fixtures/decision.ts"
import { anyEarlierAnswers, anyTime, anyUsFacts } from "../../../fixtures/us-arbitrary.ts"
import { decidesTotally } from "../decide-totally.ts"
import { approvalFact, authorizationBody, authorizationFacts } from "./reasons.ts"

const [POLICY] = PAYMENT_AUTHORIZATION_POLICIES as [(typeof PAYMENT_AUTHORIZATION_POLICIES)[number]]
const decideOn = (facts: Partial<PaymentAuthorizationFacts> = {}, request = authorizationBody()) =>
  RULES.decide(request, authorizationFacts(facts), POLICY)
const after = (by: number) => formatInstant(DECIDED_AT + by)

describe("the result", () => {
  test("repeats the values the token is bound to, and never contains the token itself", () => {
    expect(decideOn().result).toEqual({
      supplier_key: "uei:ZQGGHJH74DW7",
      payee_fingerprint: authorizationBody().payee_fingerprint,
      gates: { restricted_party: "ALLOW", invoice_payee: "ALLOW", supplier_approval: "ALLOW" },
      amount: "12500.00",
      currency: "USD",
      authorization_token: "",
      single_use: true,
    })
  })

  test("shows what each gate alone found, and issues no token for a REVIEW", () => {
    const core = decideOn({ supplier_approval: null })
    expect(core.result.gates).toEqual({ restricted_party: "ALLOW", invoice_payee: "ALLOW", supplier_approval: "HOLD" })
    expect([core.decision, core.machine_action]).toEqual(["REVIEW", "HOLD_FOR_HUMAN_REVIEW"])
    expect(core.limitations).toContain("NO_TOKEN_ISSUED")
    expect(core.required_information).toEqual(["/supplier_approval_reference"])
  })

  test("never says that a payee known only by its fingerprint was cleared by the lists", () => {
    expect(decideOn().limitations).toContain("PAYEE_WALLET_NOT_SCREENED")
  })
})

describe("the supplier's approval", () => {
  test.each([
    ["counts in its last moment", { valid_until: after(1) }, "APPROVE"],
    ["has ended at the moment it names", { valid_until: after(0) }, "REVIEW"],
    ["counts with conditions", { decision: "CONDITIONAL" }, "APPROVE"],
    ["of another supplier does not count", { supplier_key: "lei:5493001KJTIIGC8Y1R12" }, "REVIEW"],
    ["of the same identifier under another name does not count", { name_key: "quiet cove marine" }, "REVIEW"],
  ] as const)("%s", (_promise, changes, decision) => {
    expect(decideOn({ supplier_approval: approvalFact(changes) }).decision).toBe(decision)
  })

  test("counts for a request without a name, which is screened by the registered name", () => {
    const { identifiers } = authorizationBody().company
    expect(decideOn({}, authorizationBody({ company: { identifiers } })).decision).toBe("APPROVE")
  })

  test("says that it was given with conditions", () => {
    const limitations = (decision: "APPROVE" | "CONDITIONAL") =>
      decideOn({ supplier_approval: approvalFact({ decision }) }).limitations
    expect(limitations("CONDITIONAL")).toContain("SUPPLIER_APPROVED_ON_CONDITIONS")
    expect(limitations("APPROVE")).not.toContain("SUPPLIER_APPROVED_ON_CONDITIONS")
  })

  test("does not override a finding of today's lists", () => {
    const core = decideOn({ screening: screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })]) })
    expect([core.decision, core.result.gates.supplier_approval]).toEqual(["BLOCK", "ALLOW"])
  })
})

test("an authorization expires after an hour, with the first stale list, or with the approval it depends on", () => {
  const soon = after(20 * MINUTE)
  expect(decideOn().valid_until).toBe(after(HOUR))
  expect(decideOn({ sources: SOURCE_IDS.map((id) => sourceFact(id, { stale_at: soon })) }).valid_until).toBe(soon)
  expect(decideOn({ supplier_approval: approvalFact({ valid_until: soon }) }).valid_until).toBe(soon)
})

test("any facts of the schema give one answer of the schema, the same one every time", () => {
  const approval = fc
    .record({
      decision: fc.constantFrom("APPROVE", "CONDITIONAL"),
      supplier_key: fc.constantFrom("uei:ZQGGHJH74DW7", "uei:ABCDEFGHJKL1", ""),
      name_key: fc.constantFrom(approvalFact().name_key, "quiet cove marine", ""),
      valid_until: anyTime,
    } as const)
    .map((changes) => approvalFact(changes))
  const facts = fc
    .record({ us: anyUsFacts(RULES.id), earlier_answers: anyEarlierAnswers, supplier_approval: fc.option(approval) })
    .map(({ us, ...changes }) => authorizationFacts({ ...us, ...changes }))
  decidesTotally(RULES, fc.constant(authorizationBody()), facts)
})

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { SupplierApprovalFacts } from "../../../../schemas/us/supplier-approval.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { policyInForce } from "../../../../src/products/common/answer-rules.ts"
import { supplierApprovalRules as RULES } from "../../../../src/products/us/supplier-approval/rules.ts"
import { DECIDED_AT, screeningFact, screeningHit, screeningOf } from "../../../fixtures/decision.ts"
import { anyUsFacts } from "../../../fixtures/us-arbitrary.ts"
import { usFacts } from "../../../fixtures/us-facts.ts"
import { decidesTotally } from "../decide-totally.ts"
import { approvalBody } from "./reasons.ts"

const POLICY = policyInForce(RULES) as Parameters<typeof RULES.decide>[2]
const risk = (tolerance: "LOW" | "MEDIUM" | "HIGH") => ({ risk_policy: { policy_id: "p", tolerance } })
const decideOn = (changes: Partial<SupplierApprovalFacts>, tolerance: "LOW" | "MEDIUM" | "HIGH" = "MEDIUM") =>
  RULES.decide(approvalBody(risk(tolerance)), usFacts(RULES.id, changes), POLICY)

describe("the approval", () => {
  test("is valid under the execution id for thirty days, however soon the lists go stale", () => {
    const core = decideOn({})
    const until = formatInstant(DECIDED_AT + 30 * DAY)
    expect(core.result).toEqual({ approval_reference: core.execution_id, approved_until: until })
    expect(core.valid_until).toBe(until)
    expect(core.limitations).not.toContain("NO_TOKEN_ISSUED")
  })

  test("has conditions where the supplier's findings are conditions only", () => {
    const core = decideOn({ registration: null }, "LOW")
    expect([core.decision, core.conditions]).toEqual(["CONDITIONAL", ["CONFIRM_SUPPLIER_REGISTRATION"]])
    expect(core.result.approval_reference).toBe(core.execution_id)
  })

  test.each([
    ["REVIEW", screeningOf("POSSIBLE_MATCH", [screeningHit()])],
    ["BLOCK", screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })])],
  ] as const)("is not given on %s, without a reference and without an end", (decision, screening) => {
    const core = decideOn({ screening })
    expect(core.decision).toBe(decision)
    expect(core.result).toEqual({ approval_reference: null, approved_until: null })
  })
})

describe("the tolerance", () => {
  test("requires an equally strict screening: one made for a weaker tolerance is not enough", () => {
    const screening = screeningFact({ threshold: 0.8 })
    expect(decideOn({ screening }, "LOW").reason_codes).toEqual(["EVIDENCE_INSUFFICIENT", "LIMITED_COVERAGE"])
    expect(decideOn({ screening }, "MEDIUM").decision).toBe("APPROVE")
    expect(decideOn({ screening }, "HIGH").decision).toBe("APPROVE")
  })

  test("makes an unregistered identity a condition at LOW only, and a limitation always", () => {
    const at = (tolerance: "LOW" | "MEDIUM" | "HIGH") => decideOn({ registration: null }, tolerance)
    expect([at("LOW").decision, at("MEDIUM").decision, at("HIGH").decision]).toEqual([
      "CONDITIONAL",
      "APPROVE",
      "APPROVE",
    ])
    for (const tolerance of ["LOW", "MEDIUM", "HIGH"] as const) {
      expect(at(tolerance).limitations).toContain("ENTITY_REGISTRATION_NOT_CHECKED")
    }
  })
})

test("the answer points at the members that the caller can supply", () => {
  const registration = { source_id: "US_SAM_ENTITY", snapshot_id: "s1", found: true, name_agrees: false }
  expect(decideOn({ registration }).required_information).toEqual(["/company/legal_name"])
  expect(decideOn({}).required_information).toEqual([])
})

test("any facts of the schema give one answer of the schema, the same one every time", () => {
  const requests = fc.constantFrom(
    ...(["LOW", "MEDIUM", "HIGH"] as const).map((tolerance) => approvalBody(risk(tolerance))),
  )
  decidesTotally(RULES, requests, anyUsFacts(RULES.id))
})

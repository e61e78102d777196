import { expect, test } from "bun:test"
import { combineGates } from "../../../src/checks/policy/combine.ts"
import { found, waived } from "../../../src/checks/policy/gate.ts"
import { SAMPLE_POLICY } from "../../fixtures/sample-policy.ts"

const changed = { gate: "VENDOR_CHANGE" as const, evidenceIds: ["ev_2", "ev_1"] }

test("a waived gate is listed as waived and not as executed", () => {
  const { executed, waived: skipped } = combineGates(SAMPLE_POLICY, "LOW", [
    { ...changed, ...found(["B"]) },
    { gate: "CONTINUATION", evidenceIds: [], ...waived("NO_PRIOR_AUTHORIZATION") },
  ])
  expect(executed).toEqual([
    {
      check_id: "VENDOR_CHANGE",
      product_id: "us.vendor.payment_detail_change.authorize.v1",
      outcome: "CONDITION",
      reason_codes: ["B"],
      evidence_ids: ["ev_1", "ev_2"],
      policy: { id: "P", version: "1" },
    },
  ])
  expect(skipped).toEqual([
    { check_id: "CONTINUATION", product_id: "us.vendor.authorization.continue.v1", reason: "NO_PRIOR_AUTHORIZATION" },
  ])
})

test("a code that passes at this tolerance is a reason of the decision, not of its check", () => {
  const { executed, reasons } = combineGates(SAMPLE_POLICY, "HIGH", [{ ...changed, ...found(["A"]) }])
  expect(executed.map((check) => [check.outcome, check.reason_codes])).toEqual([["PASS", []]])
  expect(reasons.map(({ code }) => code)).toEqual(["A"])
})

import { expect, test } from "bun:test"
import { findPolicy } from "../../../../src/checks/policy/find-policy.ts"
import { policyChecksum } from "../../../../src/checks/policy/policy-checksum.ts"
import {
  PAYMENT_DECISION_POLICIES,
  PAYMENT_DECISION_POLICY,
} from "../../../../src/products/us/payment-decision/policy.ts"
import { TOLERANCE_THRESHOLD } from "../../../../src/sources/screening/screen.ts"

/** Delivered decisions name these. A new row may be added; a changed checksum means that old decisions no longer replay. */
const PUBLISHED = { "1.0.0": "sha256:edb62b7363f78a4faa3a965c506efc27cb32831bf4a7fa281a7f9d578569bdfc" }

test("a published version never changes", () => {
  const checksums = PAYMENT_DECISION_POLICIES.map((policy) => [policy.version, policyChecksum(policy)])
  expect(Object.fromEntries(checksums)).toEqual(PUBLISHED)
})

test("policies are found by exact id and version only", () => {
  const { id, version } = PAYMENT_DECISION_POLICY
  const rules = { policies: PAYMENT_DECISION_POLICIES }
  expect(findPolicy(rules, { id, version })).toBe(PAYMENT_DECISION_POLICY)
  expect(findPolicy(rules, { id, version: "1.0.1" })).toBeNull()
  expect(findPolicy(rules, { id: "OTHER", version })).toBeNull()
})

test("every reason that can prevent a payment has a meaning and an action", () => {
  const silent = PAYMENT_DECISION_POLICY.reasons.filter(
    (row) => row.why === "" || (row.outcome !== "PASS" && !/^[A-Z_]+$/.test(row.remediation)),
  )
  expect(silent).toEqual([])
})

test("the policy states the thresholds that the screener uses", () => {
  const stated = Object.entries(PAYMENT_DECISION_POLICY.thresholds.restricted_party_review_score)
  expect(stated.map(([tolerance, score]) => [tolerance, Number(score)])).toEqual(Object.entries(TOLERANCE_THRESHOLD))
})

import { expect, test } from "bun:test"
import { combineGates, worstOutcome } from "../../src/checks/combine.ts"
import { found, type GateResult, waived } from "../../src/checks/gate.ts"
import { type Policy, policyChecksum, reasonsFor } from "../../src/checks/policy.ts"
import { stricterTolerance } from "../../src/checks/tolerance.ts"
import { digestOf } from "../../src/core/digest.ts"

const reason = (code: string, outcome: "HOLD" | "CONDITION" | "PASS", tolerances: ("LOW" | "MEDIUM" | "HIGH")[]) => ({
  code,
  gate: "VENDOR_CHANGE" as const,
  outcome,
  tolerances,
  why: "",
  remediation: "",
})
const policy: Policy<null> = {
  id: "P",
  version: "1",
  thresholds: null,
  reasons: [
    reason("A", "HOLD", ["LOW"]),
    reason("B", "CONDITION", ["LOW", "MEDIUM", "HIGH"]),
    reason("A", "PASS", ["MEDIUM", "HIGH"]),
  ],
}
const gate = (codes: string[]): GateResult => ({
  gate: "VENDOR_CHANGE",
  evidenceIds: ["ev_2", "ev_1"],
  ...found(codes),
})

test("reasons come in policy order, once each, whatever order they were found in", () => {
  expect(reasonsFor(policy, "LOW", new Set(["B", "A"])).map((row) => row.code)).toEqual(["A", "B"])
})

test("tolerance picks the row", () => {
  expect(combineGates(policy, "LOW", [gate(["A"])]).outcome).toBe("HOLD")
  expect(combineGates(policy, "HIGH", [gate(["A"])]).outcome).toBe("PASS")
})

test("a code without a row is a bug, never a silent pass", () => {
  expect(() => combineGates(policy, "LOW", [gate(["C"])])).toThrow("no row for C")
})

test("the worst outcome of any gate is the outcome", () => {
  expect(worstOutcome(["PASS", "CONDITION", "HOLD", "BLOCK", "INCONCLUSIVE"])).toBe("BLOCK")
  expect(worstOutcome(["PASS", "CONDITION", "INCONCLUSIVE", "HOLD"])).toBe("HOLD")
  expect(worstOutcome(["CONDITION", "INCONCLUSIVE"])).toBe("INCONCLUSIVE")
  expect(worstOutcome(["PASS", "CONDITION"])).toBe("CONDITION")
  expect(worstOutcome([])).toBe("PASS")
})

test("a waived gate is listed as waived and not as executed", () => {
  const { executed, waived: skipped } = combineGates(policy, "LOW", [
    gate(["B"]),
    { gate: "CONTINUATION", evidenceIds: [], ...waived("NO_PRIOR_AUTHORIZATION") },
  ])
  expect(executed.map((check) => [check.check_id, check.outcome, check.evidence_ids])).toEqual([
    ["VENDOR_CHANGE", "CONDITION", ["ev_1", "ev_2"]],
  ])
  expect(skipped).toEqual([
    { check_id: "CONTINUATION", product_id: "us.vendor.authorization.continue.v1", reason: "NO_PRIOR_AUTHORIZATION" },
  ])
})

test("any change of a policy changes its checksum", () => {
  expect(policyChecksum(policy)).toBe(digestOf(policy))
  expect(policyChecksum({ ...policy, reasons: policy.reasons.toReversed() })).not.toBe(policyChecksum(policy))
})

test("the stricter tolerance wins from either side", () => {
  expect(stricterTolerance("HIGH", "LOW")).toBe("LOW")
  expect(stricterTolerance("MEDIUM", "HIGH")).toBe("MEDIUM")
  expect(stricterTolerance("HIGH", "HIGH")).toBe("HIGH")
})

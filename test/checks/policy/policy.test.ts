import { expect, test } from "bun:test"
import { type Policy, reasonsFor } from "../../../src/checks/policy/policy.ts"
import { policyChecksum } from "../../../src/checks/policy/policy-checksum.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { stricterTolerance } from "../../../src/products/us/payment-decision/tolerance.ts"
import { SAMPLE_POLICY as policy } from "../../fixtures/sample-policy.ts"

test("reasons come in policy order, once each, in whatever order they were found", () => {
  expect(reasonsFor(policy, "LOW", new Set(["B", "A"])).map((row) => row.code)).toEqual(["A", "B"])
})

test("a code without a row is a bug, never a silent pass", () => {
  expect(() => reasonsFor(policy, "LOW", new Set(["C"]))).toThrow("no row for C")
})

test("any change of a policy changes its checksum", () => {
  const turned: Policy<null> = { ...policy, reasons: policy.reasons.toReversed() }
  expect(policyChecksum(policy)).toBe(digestOf(policy))
  expect(policyChecksum(turned)).not.toBe(policyChecksum(policy))
})

test("the stricter tolerance wins from either side", () => {
  expect(stricterTolerance("HIGH", "LOW")).toBe("LOW")
  expect(stricterTolerance("MEDIUM", "HIGH")).toBe("MEDIUM")
  expect(stricterTolerance("HIGH", "HIGH")).toBe("HIGH")
})

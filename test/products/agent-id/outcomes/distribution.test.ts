import { expect, test } from "bun:test"
import { type DistributionFacts, distributionOutcome } from "../../../../src/products/agent-id/outcomes/distribution.ts"

test.each<[string, DistributionFacts, string, string[]]>([
  ["registered", { kind: "LOOKED", isRegistered: true }, "REGISTERED", []],
  ["not registered", { kind: "LOOKED", isRegistered: false }, "NOT_REGISTERED", []],
  ["nothing to register", { kind: "NO_STATEMENT" }, "NOT_EVALUATED", ["NO_STATEMENT"]],
  ["unreadable", { kind: "STATE_UNAVAILABLE" }, "TRACKING_UNAVAILABLE", ["STATE_UNAVAILABLE"]],
])("%s", (_, facts, outcome, reasons) => {
  expect(distributionOutcome(facts)).toEqual({ outcome, reason_codes: reasons } as never)
})

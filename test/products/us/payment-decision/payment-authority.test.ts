import { expect, test } from "bun:test"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { paymentAuthorityGate } from "../../../../src/products/us/payment-decision/payment-authority.ts"
import { DECIDED_AT, signedRequest } from "../../../fixtures/decision.ts"

const { payload } = signedRequest().buyer_mandate
const later = { state: "ACTIVE" as const, valid_until: formatInstant(DECIDED_AT + 3 * HOUR) }
const now = { state: "ACTIVE" as const, valid_until: formatInstant(DECIDED_AT) }

function codes(changes: Partial<Parameters<typeof paymentAuthorityGate>[0]> = {}) {
  return paymentAuthorityGate({
    mandate: payload,
    amount: "20000.000000",
    currency: "USD",
    exposureAtomic: "20000000000",
    instructionDigest: "sha256:new",
    mandateState: later,
    delegationState: later,
    earlierDecisions: [],
    exposureDifferencePercentMax: 1,
    at: DECIDED_AT,
    ...changes,
  }).codes
}

test("amounts compare as decimals: the full limit may be spent, one millionth more may not", () => {
  expect(codes()).toEqual([])
  expect(codes({ amount: "20000.000001" })).toEqual(["MANDATE_LIMIT_EXCEEDED"])
})

test("a mandate in another currency covers no amount", () => {
  expect(codes({ currency: "EUR" })).toEqual(["MANDATE_LIMIT_EXCEEDED"])
})

test("a mandate starts at valid_from and ends before valid_until, in the request or in the current record", () => {
  const [start, end] = [DECIDED_AT - MINUTE, DECIDED_AT + 2 * HOUR]
  expect(codes({ at: start })).toEqual([])
  expect(codes({ at: start - 1 })).toEqual(["MANDATE_NOT_CURRENT"])
  expect(codes({ at: end - 1 })).toEqual([])
  expect(codes({ at: end })).toEqual(["MANDATE_NOT_CURRENT"])
  expect(codes({ mandateState: now })).toEqual(["MANDATE_NOT_CURRENT"])
})

test("a delegation that ends at the decision time has ended", () => {
  expect(codes({ delegationState: now })).toEqual(["DELEGATION_NOT_ACTIVE"])
  expect(codes({ delegationState: { ...later, state: "REVOKED" } })).toEqual(["DELEGATION_NOT_ACTIVE"])
})

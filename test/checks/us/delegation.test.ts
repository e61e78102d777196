import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  CLOCK_SKEW_MS,
  type DelegatedAct,
  type DelegationTerms,
  type DelegationUse,
  judgeDelegations,
  judgeUnpricedAct,
} from "../../../src/checks/us/delegation.ts"
import { amountMillionths } from "../../../src/core/money.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { runs } from "../../fixtures/long.ts"

const AT = Date.UTC(2026, 0, 10)
const terms = (changes: Partial<DelegationTerms> = {}): DelegationTerms => ({
  delegationId: "dgn_1",
  scope: ["SIGN_REQUEST"],
  permittedIntents: ["RELEASE_PAYMENT_TO_SUPPLIER"],
  maxPaymentAmount: "1000",
  maxTotalAmount: "5000",
  maxRequestsPerDay: 3,
  currency: "USD",
  validFrom: formatInstant(AT - DAY),
  validUntil: formatInstant(AT + DAY),
  state: "ACTIVE",
  signerState: "ACTIVE",
  ...changes,
})
const act = (changes: Partial<DelegatedAct> = {}): DelegatedAct => ({
  intent: "RELEASE_PAYMENT_TO_SUPPLIER",
  amountMillionths: amountMillionths("1000.000000"),
  currency: "USD",
  at: AT,
  uses: new Map(),
  ...changes,
})
const used = (total: string, requestsToday: number): ReadonlyMap<string, DelegationUse> =>
  new Map([["dgn_1", { totalMillionths: amountMillionths(total), requestsToday }]])

test("each row breaks one more term; a limit may be reached but not exceeded", () => {
  const rows: readonly [
    what: string,
    terms: Partial<DelegationTerms>,
    act: Partial<DelegatedAct>,
    code: string | null,
  ][] = [
    ["exactly at the payment limit", {}, {}, null],
    ["revoked", { state: "REVOKED" }, {}, "DELEGATION_NOT_ACTIVE"],
    ["signed by a key that is revoked", { signerState: "REVOKED" }, {}, "DELEGATION_NOT_ACTIVE"],
    ["another scope only", { scope: ["SIGN_MANDATE"] }, {}, "DELEGATION_NOT_ACTIVE"],
    ["at its end", {}, { at: AT + DAY }, "DELEGATION_NOT_ACTIVE"],
    ["last millisecond", {}, { at: AT + DAY - 1 }, null],
    ["clock 30 s behind its start", {}, { at: AT - DAY - CLOCK_SKEW_MS }, null],
    ["clock more behind", {}, { at: AT - DAY - CLOCK_SKEW_MS - 1 }, "DELEGATION_NOT_ACTIVE"],
    ["another intent", {}, { intent: "OTHER" }, "DELEGATION_EXCEEDED"],
    ["another currency", {}, { currency: "EUR" }, "DELEGATION_EXCEEDED"],
    ["one millionth over", {}, { amountMillionths: amountMillionths("1000.000001") }, "DELEGATION_EXCEEDED"],
    ["total reached exactly", {}, { uses: used("4000", 2) }, null],
    ["total passed by a millionth", {}, { uses: used("4000.000001", 2) }, "DELEGATION_EXCEEDED"],
    ["third request of three", {}, { uses: used("0", 2) }, null],
    ["fourth request of three", {}, { uses: used("0", 3) }, "DELEGATION_EXCEEDED"],
    ["no limits", { maxTotalAmount: null, maxRequestsPerDay: null }, { uses: used("999999", 999) }, null],
  ]
  for (const [what, changedTerms, changedAct, code] of rows) {
    const { fault } = judgeDelegations([terms(changedTerms)], act(changedAct), "SIGN_REQUEST")
    expect([what, fault]).toEqual([what, code as typeof fault])
  }
})

test("without a delegation the act is not delegated", () => {
  expect(judgeDelegations([], act(), "SIGN_REQUEST")).toEqual({ fault: "DELEGATION_NOT_ACTIVE", delegation: null })
})

test("the first delegation that covers the act applies; the use of one does not count against another", () => {
  const small = terms({ maxPaymentAmount: "1" })
  const spent = terms({ delegationId: "dgn_2", maxTotalAmount: "1000" })
  const large = terms({ delegationId: "dgn_3" })
  const uses = new Map([["dgn_2", { totalMillionths: 1n, requestsToday: 0 }]])
  expect(judgeDelegations([small, spent, large], act({ uses }), "SIGN_REQUEST").delegation).toBe(large)
  expect(judgeDelegations([small, spent], act({ uses }), "SIGN_REQUEST").fault).toBe("DELEGATION_EXCEEDED")
})

test("more delegations, or a smaller amount, never turn an allowed act into a refused one", () => {
  const limit = fc.integer({ min: 0, max: 20 }).map(String)
  const some = fc
    .record({ maxPaymentAmount: limit, maxTotalAmount: fc.option(limit), state: fc.constantFrom("ACTIVE", "REVOKED") })
    .map((changes) => terms(changes as Partial<DelegationTerms>))
  fc.assert(
    fc.property(fc.array(some), some, fc.integer({ min: 1, max: 20 }), (delegations, more, amount) => {
      const requests = act({ amountMillionths: BigInt(amount) * 1_000_000n })
      const judged = judgeDelegations(delegations, requests, "SIGN_REQUEST").fault
      if (judged !== null) return
      const less = { ...requests, amountMillionths: requests.amountMillionths - 1n }
      expect(judgeDelegations([...delegations, more], requests, "SIGN_REQUEST").fault).toBeNull()
      expect(judgeDelegations(delegations, less, "SIGN_REQUEST").fault).toBeNull()
    }),
    { numRuns: runs(200) },
  )
})

test("an act without an amount is checked only against window, scope and the requests of a day", () => {
  const judged = (changes: Partial<DelegationTerms>, uses = used("0", 0)) =>
    judgeUnpricedAct(
      [terms({ scope: ["AUTHORIZE_DESTINATION_CHANGE"], ...changes })],
      { at: AT, uses },
      "AUTHORIZE_DESTINATION_CHANGE",
    ).fault
  expect(judged({ maxPaymentAmount: "0.01", currency: "EUR" }, used("5000", 2))).toBeNull()
  expect(judged({}, used("0", 3))).toBe("DELEGATION_EXCEEDED")
  expect(judged({ maxRequestsPerDay: null }, used("0", 3))).toBeNull()
  expect(judged({ scope: ["SIGN_REQUEST", "SIGN_MANDATE"] })).toBe("DELEGATION_NOT_ACTIVE")
  expect(judged({ state: "REVOKED" })).toBe("DELEGATION_NOT_ACTIVE")
  expect(judged({ validUntil: formatInstant(AT) })).toBe("DELEGATION_NOT_ACTIVE")
})

import { expect, test } from "bun:test"
import { DAY, formatInstant, HOUR, instant } from "../../../../src/core/time.ts"
import { decide } from "../../../../src/products/us/vendor-change/decide.ts"
import { VENDOR_CHANGE_POLICIES } from "../../../../src/products/us/vendor-change/policy.ts"
import { DECIDED_AT, screeningHit, screeningOf } from "../../../fixtures/decision.ts"
import { changeFacts, changeRequest } from "./reasons.ts"

const [POLICY] = VENDOR_CHANGE_POLICIES
const decided = (facts = changeFacts(), request = changeRequest()) => {
  if (!POLICY) throw new Error("no policy")
  return decide(request, facts, POLICY)
}
const endsAt = (request: ReturnType<typeof changeRequest>, facts = changeFacts()) =>
  instant(decided(facts, request).valid_until) - DECIDED_AT

test.each([
  ["CLEAR", "APPROVE", "AUTHORIZED"],
  ["PROGRAM_CONDITION", "CONDITIONAL", "AUTHORIZED_WITH_CONDITIONS"],
  ["POSSIBLE_MATCH", "REVIEW", "REVIEW_REQUIRED"],
  ["INSUFFICIENT", "REVIEW", "REVIEW_REQUIRED"],
  ["MATCH", "BLOCK", "DENIED"],
] as const)("a vendor screened %s gets %s, %s, and a token only where one is issued", (state, decision, change) => {
  const hits = state === "CLEAR" || state === "INSUFFICIENT" ? [] : [screeningHit({ tier: "CONDITION" })]
  const core = decided({ ...changeFacts(), screening: screeningOf(state, hits) })
  expect([core.decision, core.result.change_state]).toEqual([decision, change])
  expect(core.result).toMatchObject({ authorization_token: "", single_use: true, revocable: true })
  expect(core.limitations.includes("NO_TOKEN_ISSUED")).toBe(decision !== "APPROVE" && decision !== "CONDITIONAL")
})

test("a vendor's first payee destination needs a challenge but no earlier authorization", () => {
  const first = { current_payee_fingerprint: null, prior_authorization_reference: null }
  const facts = changeFacts({ prior_authorization: null })
  expect(decided(facts, changeRequest(first)).decision).toBe("APPROVE")
  const old = { ...changeRequest().challenge, verified_at: formatInstant(DECIDED_AT - 2 * DAY) }
  expect(decided(facts, changeRequest({ ...first, challenge: old })).reason_codes).toEqual(["CHALLENGE_NOT_FRESH"])
})

test("an authorization of another vendor, or of this vendor at another destination, is not the changed one", () => {
  const { prior_authorization: prior } = changeFacts().change
  if (!prior) throw new Error("no prior")
  const core = decided(changeFacts({ prior_authorization: { ...prior, subject: "uei:N5HX2R8Q4KL9" } }))
  expect(core.reason_codes).toEqual(["PRIOR_AUTHORIZATION_DIFFERS"])
  expect(core.required_information).toEqual(["/prior_authorization_reference"])
})

test("a challenge from before the authorization that it would change does not count", () => {
  const { prior_authorization: prior } = changeFacts().change
  if (!prior) throw new Error("no prior")
  const later = { ...prior, decided_at: changeRequest().challenge.verified_at }
  expect(decided(changeFacts({ prior_authorization: later })).reason_codes).toEqual(["CHALLENGE_NOT_FRESH"])
})

test("the answer is valid for a day, or until its challenge or the first list ends", () => {
  const challenge = (end: number) =>
    changeRequest({
      challenge: { ...changeRequest().challenge, valid_until: formatInstant(DECIDED_AT + end) },
    })
  expect(endsAt(challenge(30 * DAY))).toBe(24 * HOUR)
  expect(endsAt(challenge(3 * HOUR))).toBe(3 * HOUR)
  const facts = changeFacts()
  const [first, ...rest] = facts.sources
  if (!first) throw new Error("no list")
  const soon = { ...first, stale_at: formatInstant(DECIDED_AT + HOUR) }
  expect(endsAt(challenge(30 * DAY), { ...facts, sources: [soon, ...rest] })).toBe(HOUR)
})

test("an ended challenge is a reason of the answer, not its end, because no answer ends before it is given", () => {
  const { challenge } = changeRequest()
  const core = decided(
    changeFacts(),
    changeRequest({ challenge: { ...challenge, valid_until: formatInstant(DECIDED_AT - HOUR) } }),
  )
  expect([core.decision, core.reason_codes]).toEqual(["REVIEW", ["CHALLENGE_EXPIRED"]])
  expect(instant(core.valid_until)).toBeGreaterThan(instant(core.valid_as_of))
})

test("the request's signature is evidence, so that another signature gives another answer", () => {
  const request = changeRequest()
  const other = { ...request, requesting_agent: { ...request.requesting_agent, request_signature: "x".repeat(86) } }
  expect(decided(changeFacts(), other).evidence).not.toEqual(decided(changeFacts(), request).evidence)
})

import { expect, test } from "bun:test"
import type { RegisterLookup } from "../../../../schemas/us/registration-fact.ts"
import type { ContinuedAuthorization, VendorContinuationFacts } from "../../../../schemas/us/vendor-continuation.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { decide } from "../../../../src/products/us/vendor-continuation/decide.ts"
import { VENDOR_CONTINUATION_POLICIES } from "../../../../src/products/us/vendor-continuation/policy.ts"
import { DECIDED_AT, screeningHit, screeningOf } from "../../../fixtures/decision.ts"
import { continuationFacts, continuationRequest, continuedAuthorization } from "./reasons.ts"

const [POLICY] = VENDOR_CONTINUATION_POLICIES
const decided = (facts: Partial<VendorContinuationFacts> = {}, request = continuationRequest()) => {
  if (!POLICY) throw new Error("no policy")
  return decide(request, continuationFacts(facts), POLICY)
}
const since = (prior: Partial<ContinuedAuthorization>, facts: Partial<VendorContinuationFacts> = {}) =>
  decided({ prior_authorization: continuedAuthorization(prior), ...facts })

const END = formatInstant(DECIDED_AT + 30 * DAY)

test("a valid authorization is continued for thirty days, however soon a list goes stale", () => {
  const core = decided()
  expect([core.decision, core.valid_until, core.result]).toEqual([
    "APPROVE",
    END,
    { prior_authorization_reference: "exe_BBBBBBBBBBBBBBBBBBBBBB", continued_until: END, changed_since: [] },
  ])
})

test("an invalid authorization is not continued and has no end", () => {
  const core = decided({ screening: screeningOf("POSSIBLE_MATCH", [screeningHit()]) })
  expect([core.decision, core.result.continued_until]).toEqual(["REVIEW", null])
})

test("a vendor that was listed since gets both reasons, and the answer names the new entry", () => {
  const hit = screeningHit()
  const core = decided({ screening: screeningOf("POSSIBLE_MATCH", [hit]) })
  expect(core.reason_codes).toEqual(["RESTRICTED_PARTY_POSSIBLE_MATCH", "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED"])
  expect(core.result.changed_since).toEqual([
    { what: "SCREENING_STATE", source_id: null, before: "CLEAR", after: "POSSIBLE_MATCH" },
    { what: "LISTED_ENTRY", source_id: hit.source_id, before: null, after: hit.entry_id },
  ])
})

test("newer list versions are named one by one, and withdraw nothing", () => {
  const [first, ...rest] = continuedAuthorization().lists
  if (!first) throw new Error("no list")
  const core = since({ lists: [{ ...first, source_version: "earlier" }, ...rest] })
  expect(core.decision).toBe("APPROVE")
  expect(core.result.changed_since).toMatchObject([
    { what: "LIST_VERSION", source_id: first.source_id, before: "earlier" },
  ])
})

const LOOKUP: RegisterLookup = {
  source_id: "US_SAM_ENTITY",
  snapshot_id: "s1",
  source_url: "https://lists.example/sam",
  source_version: "1",
  source_timestamp: formatInstant(DECIDED_AT - DAY),
  retrieved_at: formatInstant(DECIDED_AT - DAY),
  stale_at: formatInstant(DECIDED_AT + DAY),
  parser_version: "sam/1",
  raw_sha256: `sha256:${"a".repeat(64)}`,
  freshness: "FRESH",
  scheme: "uei",
  value: "ZQGGHJH74DW7",
  found: true,
  registered_name: "HARBOR LIGHT INSTRUMENTS LLC",
  status: "A",
  is_current: true,
  name_agrees: true,
  name_score: 1,
}
const registration = (changes: Partial<RegisterLookup>) => {
  const lookup = { ...LOOKUP, ...changes }
  const { source_id, snapshot_id, found, name_agrees } = lookup
  return { source_id, snapshot_id, found, name_agrees, lookups: [lookup] }
}
const REGISTERED = (({ source_id, scheme, value, found, name_agrees, registered_name, status, is_current }) => ({
  source_id,
  scheme,
  value,
  found,
  name_agrees,
  registered_name,
  status,
  is_current,
}))(LOOKUP)

test.each([
  ["is gone", { found: false, registered_name: null, status: null, is_current: null }, "REVIEW"],
  ["bears another name", { name_agrees: false, registered_name: "SOMEBODY ELSE INC" }, "REVIEW"],
  ["has lapsed", { status: "E", is_current: false }, "APPROVE"],
  ["stands as it did", {}, "APPROVE"],
] as const)("a registration that %s gets its own finding", (_, now, decision) => {
  const core = since({ registrations: [REGISTERED] }, { registration: registration(now) })
  expect(core.decision).toBe(decision)
  expect(core.reason_codes.includes("PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED")).toBe(decision === "REVIEW")
  expect(core.result.changed_since.length > 0).toBe(Object.keys(now).length > 0)
})

test("a register that cannot be read today, or that found nothing then either, withdraws nothing", () => {
  expect(since({ registrations: [REGISTERED] }, { registration: null }).decision).toBe("APPROVE")
  const never = { ...REGISTERED, found: false }
  const core = since(
    { registrations: [never] },
    { registration: registration({ found: false, registered_name: null }) },
  )
  expect(core.decision).toBe("APPROVE")
})

test.each([
  ["another company", { subject: "uei:N5HX2R8Q4KL9" }],
  ["the same identifier under another name", { name_key: "somebodyelseinc" }],
])("an authorization of %s is not one of this vendor, and nothing is compared with it", (_, prior) => {
  const core = since({ ...prior, screening: { ...continuedAuthorization().screening, state: "PROGRAM_CONDITION" } })
  expect([core.reason_codes, core.result.changed_since]).toEqual([["PRIOR_AUTHORIZATION_DIFFERS"], []])
  expect(core.required_information).toEqual(["/prior_authorization_reference"])
})

test("a name that only one of the two gave is not a different name", () => {
  expect(since({ name_key: "" }).decision).toBe("APPROVE")
  const { company, ...rest } = continuationRequest()
  expect(decided({}, { ...rest, company: { identifiers: company.identifiers } }).decision).toBe("APPROVE")
})

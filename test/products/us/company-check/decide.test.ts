import { describe, expect, test } from "bun:test"
import type { RegisterLookup } from "../../../../schemas/us/registration-fact.ts"
import { DAY, formatInstant, HOUR, instant } from "../../../../src/core/time.ts"
import { decide } from "../../../../src/products/us/company-check/decide.ts"
import { COMPANY_CHECK_POLICIES } from "../../../../src/products/us/company-check/policy.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import { WALK } from "./reasons.ts"

const [POLICY] = COMPANY_CHECK_POLICIES
const NEWEST = COMPANY_CHECK_POLICIES.at(-1)
const { request, facts } = WALK.input("MEDIUM")

describe("a company that a register does not contain", () => {
  const lookup = (changes: Partial<RegisterLookup> = {}): RegisterLookup => ({
    source_id: "GLEIF_LEI",
    snapshot_id: "snp_lei",
    source_url: "https://example.test/lei",
    source_version: "1",
    source_timestamp: facts.at,
    retrieved_at: facts.at,
    stale_at: formatInstant(DECIDED_AT + 40 * DAY),
    parser_version: "gleif/1.0.0",
    raw_sha256: `sha256:${"0".repeat(64)}`,
    freshness: "FRESH",
    scheme: "lei",
    value: "5493001KJTIIGC8Y1R12",
    found: false,
    registered_name: null,
    status: null,
    is_current: null,
    name_agrees: true,
    name_score: null,
    ...changes,
  })
  const incomplete = lookup({ is_incomplete: true })
  const elsewhere = lookup({ source_id: "US_SAM_ENTITY", scheme: "uei", found: true })
  const absent = lookup({ source_id: "US_SAM_ENTITY", scheme: "uei" })
  const stateOf = (lookups: readonly RegisterLookup[] | undefined, name_agrees = true) => {
    if (!NEWEST) throw new Error("no policy")
    const fact = { source_id: "GLEIF_LEI", snapshot_id: "snp_lei", found: false, name_agrees }
    const registration = lookups === undefined ? fact : { ...fact, lookups: [...lookups] }
    const core = decide(request, { ...facts, registration }, NEWEST)
    return [core.result.identity_state, core.reason_codes.includes("REGISTRATION_NOT_FOUND")]
  }

  test.each([
    ["an incomplete register alone: its word only", [incomplete], ["ATTESTED_ONLY", false]],
    ["an incomplete register, and another one has it: registered", [incomplete, elsewhere], ["REGISTERED", false]],
    ["an incomplete register and a whole one: not in the register", [incomplete, absent], ["NOT_IN_REGISTER", true]],
    ["a whole register, and another one has it: not in the register", [absent, elsewhere], ["NOT_IN_REGISTER", true]],
    ["a register of facts without its look-ups: not in the register", undefined, ["NOT_IN_REGISTER", true]],
  ] as const)("%s", (_, lookups, expected) => {
    expect(stateOf(lookups)).toEqual([...expected])
  })

  test("gets a name mismatch when another register has it under a different name", () => {
    expect(stateOf([incomplete, { ...elsewhere, name_agrees: false }], false)[0]).toBe("NAME_DIFFERS")
  })
})

test("a check and its passport expire after thirty days, or with the first list that goes stale", () => {
  if (!POLICY) throw new Error("no policy")
  const endsAt = (staleAt: number) => {
    const stale_at = formatInstant(DECIDED_AT + staleAt)
    const core = decide(request, { ...facts, sources: facts.sources.map((list) => ({ ...list, stale_at })) }, POLICY)
    expect(core.result.passport?.valid_until).toBe(core.valid_until)
    return instant(core.valid_until) - DECIDED_AT
  }
  expect([endsAt(400 * DAY), endsAt(HOUR)]).toEqual([30 * DAY, HOUR])
})

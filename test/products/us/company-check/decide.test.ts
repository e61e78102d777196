import { expect, test } from "bun:test"
import { DAY, formatInstant, HOUR, instant } from "../../../../src/core/time.ts"
import { decide } from "../../../../src/products/us/company-check/decide.ts"
import { COMPANY_CHECK_POLICIES } from "../../../../src/products/us/company-check/policy.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import { WALK } from "./reasons.ts"

const [POLICY] = COMPANY_CHECK_POLICIES
const { request, facts } = WALK.world("MEDIUM")

test("a check and its passport end in thirty days, or with the first list that goes stale", () => {
  if (!POLICY) throw new Error("no policy")
  const endsAt = (staleAt: number) => {
    const stale_at = formatInstant(DECIDED_AT + staleAt)
    const core = decide(request, { ...facts, sources: facts.sources.map((list) => ({ ...list, stale_at })) }, POLICY)
    expect(core.result.passport?.valid_until).toBe(core.valid_until)
    return instant(core.valid_until) - DECIDED_AT
  }
  expect([endsAt(400 * DAY), endsAt(HOUR)]).toEqual([30 * DAY, HOUR])
})

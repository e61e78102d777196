/** Everything that the closed schemas accept is decided, twice with the same result, and an answer never ends before it begins. */
import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { mayContinue } from "../../../src/checks/policy/answer.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { policyInForce } from "../../../src/products/common/answer-rules.ts"
import { runs } from "../../fixtures/long.ts"
import { type AnyReasonWalk, inputWith } from "../../fixtures/reason-walk.ts"
import { variations } from "../../fixtures/variations.ts"
import { WALK as PAYMENT } from "./payment/reasons.ts"
import { WALK as CHANGE } from "./vendor-change/reasons.ts"

const WALKS: readonly AnyReasonWalk[] = [PAYMENT, CHANGE] as unknown as readonly AnyReasonWalk[]

test.each(WALKS.map((walk) => [walk.rules.id, walk] as const))("%s", (_, walk) => {
  const policy = policyInForce(walk.rules)
  const codes = walk.faults.map(({ code }) => code)
  const stop = new Set(
    policy.reasons.filter(({ outcome }) => outcome !== "PASS" && outcome !== "CONDITION").map(({ code }) => code),
  )
  fc.assert(
    fc.property(fc.subarray(codes), fc.nat(), fc.nat(), (present, aRequest, aFact) => {
      const input = inputWith(walk, present, "MEDIUM")
      const pick = (of: Iterable<unknown>, nth: number) => {
        const all = [...of]
        return all[nth % all.length]
      }
      const request = pick(variations(walk.rules.schemas.request, input.request), aRequest) as typeof input.request
      const facts = pick(variations(walk.rules.schemas.facts, input.facts), aFact) as typeof input.facts
      const core = walk.rules.decide(request, facts, policy)
      expect(canonicalize(walk.rules.decide(structuredClone(request), structuredClone(facts), policy))).toBe(
        canonicalize(core),
      )
      expect([...Value.Errors(walk.rules.schemas.answer["properties"].result, core.result)]).toEqual([])
      expect(Date.parse(core.valid_until)).toBeGreaterThan(Date.parse(core.valid_as_of))
      expect(mayContinue(core)).toBe(!core.reason_codes.some((code) => stop.has(code)))
    }),
    { numRuns: runs(300) },
  )
})

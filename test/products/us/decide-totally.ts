/** The guarantee of every `decide` of the US operations over arbitrary facts. */
import { expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { mayContinue } from "../../../src/checks/policy/answer.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import type { BusinessAnswerRules, BusinessAnswerShape } from "../../../src/products/common/answer-rules.ts"
import { policyInForce } from "../../../src/products/common/answer-rules.ts"
import { settledAnswer } from "../../fixtures/answers.ts"
import { runs } from "../../fixtures/long.ts"

/** The result is one answer of the schema, always the same. It does not change its input, and never continues with a listed party. */
export function decidesTotally<S extends BusinessAnswerShape>(
  rules: BusinessAnswerRules<S>,
  requests: fc.Arbitrary<S["request"]>,
  facts: fc.Arbitrary<S["facts"]>,
): void {
  const policy = policyInForce(rules)
  fc.assert(
    fc.property(requests, facts, (request, given) => {
      const before = canonicalize([request, given])
      const core = rules.decide(request, given, policy)
      expect([...Value.Errors(rules.schemas.answer, settledAnswer(core, rules))]).toEqual([])
      expect(canonicalize(rules.decide(structuredClone(request), structuredClone(given), policy))).toBe(
        canonicalize(core),
      )
      expect(canonicalize([request, given])).toBe(before)
      expect(core.reason_codes.length).toBeGreaterThan(0)
      expect(core.valid_until > core.valid_as_of).toBe(true)
      const { state } = (given as unknown as { screening: { state: string } }).screening
      if (state !== "CLEAR" && state !== "PROGRAM_CONDITION") expect(mayContinue(core)).toBe(false)
    }),
    { numRuns: runs(300) },
  )
}

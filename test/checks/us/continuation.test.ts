import { expect, test } from "bun:test"
import { continuationGate } from "../../../src/checks/us/continuation.ts"
import { screeningFact } from "../../fixtures/decision.ts"

const LOST = ["PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED"]

test.each([
  ["CLEAR", []],
  ["PROGRAM_CONDITION", []],
  ["POSSIBLE_MATCH", LOST],
  ["MATCH", LOST],
  ["SCRIPT_UNSUPPORTED", LOST],
  ["INSUFFICIENT", LOST],
] as const)("a prior authorization is judged by its new screening state %s", (state, codes) => {
  expect(continuationGate({ screening: screeningFact({ state }) }).codes).toEqual([...codes])
})

test("without a prior authorization there is nothing to continue", () => {
  expect(continuationGate(null).waived).toBe("NO_PRIOR_AUTHORIZATION")
})

/** A minimal product that uses all shared code, with a token and one reason for each outcome. */
import { type Static, Type } from "@sinclair/typebox"
import { answerFactsMembers } from "../../../schemas/answer-facts.ts"
import { businessAnswer, UsAnswerCoverage } from "../../../schemas/business-answer.ts"
import { closed, enumeration } from "../../../schemas/common.ts"
import { answerCore } from "../../../src/checks/policy/answer.ts"
import { type AnswerPolicyDocument, CLOSING_ROWS, SOURCE_REASONS } from "../../../src/checks/policy/answer-policy.ts"
import { found } from "../../../src/checks/policy/gate.ts"
import { reasonRow } from "../../../src/checks/policy/policy.ts"
import { US_COVERAGE } from "../../../src/checks/us/us-company.ts"
import { DAY, instant } from "../../../src/core/time.ts"
import type { BusinessAnswerRules } from "../../../src/products/common/answer-rules.ts"
import { baseAnswerFacts, deliveredAnswer } from "../../fixtures/delivered-answer.ts"

const TOY_PRODUCT = "us.toy.v1"
const ToyRequest = closed({ idempotency_key: Type.String(), wish: Type.String() })
const Finding = enumeration("CLEAR", "DOUBTFUL", "UNSURE", "FORBIDDEN")
const ToyFacts = closed({ ...answerFactsMembers, finding: Finding })
const ToyResult = closed({ wish: Type.String(), authorization_token: Type.String(), single_use: Type.Boolean() })

const POLICY: AnswerPolicyDocument = {
  id: "TOY_V1",
  version: "1.0.0",
  thresholds: {},
  reasons: [
    reasonRow("FORBIDDEN", "TOY", "BLOCK", "STOP", "The toy is forbidden."),
    reasonRow("DOUBTFUL", "TOY", "HOLD", "ASK_A_PERSON", "Nobody knows the toy."),
    reasonRow("UNSURE", "TOY", "CONDITION", "LOOK_TWICE", "The toy is new."),
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

interface Toy {
  readonly request: Static<typeof ToyRequest>
  readonly facts: Static<typeof ToyFacts>
  readonly records: object
  readonly result: Static<typeof ToyResult>
  readonly policy: AnswerPolicyDocument
}

export const toyRules: BusinessAnswerRules<Toy> = {
  id: TOY_PRODUCT,
  country: "US",
  path: "/v1/us/toys",
  description: "a toy",
  price: "0.01",
  schemas: { request: ToyRequest, facts: ToyFacts, answer: businessAnswer(TOY_PRODUCT, UsAnswerCoverage, ToyResult) },
  policies: [POLICY],
  coverage: US_COVERAGE,
  decide: (request, facts, policy) =>
    answerCore(facts, policy, {
      gates: [{ gate: "TOY", ...found([facts.finding !== "CLEAR" && facts.finding]) }],
      observations: [],
      coverage: US_COVERAGE,
      ends: [instant(facts.at) + DAY],
      result: () => ({ wish: request.wish, authorization_token: "", single_use: true }),
    }),
}

export const toyRequest = { idempotency_key: "toy-2026-0001", wish: "a kite" }

export function deliveredToy(finding: Toy["facts"]["finding"] = "CLEAR", request = toyRequest) {
  return deliveredAnswer(toyRules, request, { ...baseAnswerFacts(TOY_PRODUCT), finding })
}

import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "./common.ts"
import { SourceFact } from "./source-fact.ts"

export const ANSWER_FACTS_FORMAT = "svc.answer-facts.v1"

/**
 * What the facts of every one of the eight products hold. Ids and times are drawn before anything is decided, so that deciding again
 * from the stored facts gives the same bytes.
 */
export const answerFactsMembers = {
  format: Type.Literal(ANSWER_FACTS_FORMAT),
  product: Type.String(),
  at: DateTime,
  request_id: Type.String(),
  stored_request_id: Type.String(),
  execution_id: Type.String(),
  delivery_id: Type.String(),
  base_url: Type.String(),
  issuer: Type.String(),
  environment: enumeration("live", "test"),
  /** The wallet that pays, lower case: earlier answers are those to the same one (rulings 45). */
  payer: Type.String({ pattern: "^0x[0-9a-f]{40}$" }),
  /** The required restricted-party lists, as the index in use held them. */
  sources: Type.Array(SourceFact),
} as const

const AnyAnswerFacts = closed(answerFactsMembers)
export type AnswerFacts = Static<typeof AnyAnswerFacts>

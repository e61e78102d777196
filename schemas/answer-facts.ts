import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "./common.ts"
import { StatedEnvironment } from "./environment.ts"
import { SourceFact } from "./source-fact.ts"

/** Format of the facts of new answers. */
export const ANSWER_FACTS_FORMAT = "svc.answer-facts.v2"
/** The same with an `entry` of a hit. CHOICE: facts without one stay v2, so that earlier programs check their bundles. */
export const ANSWER_ENTRY_FACTS_FORMAT = "svc.answer-facts.v3"

/**
 * The facts that all answer products share. Ids and times are drawn before the decision, so that a replay from the stored facts gives the
 * same bytes.
 */
export const answerFactsMembers = {
  /** Members that v2 and v3 add are optional, and facts of an earlier format have none of them. */
  format: enumeration("svc.answer-facts.v1", ANSWER_FACTS_FORMAT, ANSWER_ENTRY_FACTS_FORMAT),
  product: Type.String(),
  at: DateTime,
  request_id: Type.String(),
  stored_request_id: Type.String(),
  execution_id: Type.String(),
  delivery_id: Type.String(),
  base_url: Type.String(),
  issuer: Type.String(),
  environment: StatedEnvironment,
  /** The paying wallet in lower case. Earlier answers are those to the same wallet (rulings 45). */
  payer: Type.String({ pattern: "^0x[0-9a-f]{40}$" }),
  /** The required restricted-party lists, as in the index that was in use. */
  sources: Type.Array(SourceFact),
} as const

const AnyAnswerFacts = closed(answerFactsMembers)
export type AnswerFacts = Static<typeof AnyAnswerFacts>

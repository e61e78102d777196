/** A sales dialogue: questions by code, answers by code from the catalogue. Neither side can write a sentence. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, signedDocument } from "../common.ts"
import { BASE_NETWORK } from "../network.ts"
import { Channel } from "./channels.ts"
import { AtomicUnits, CallerId, contractMembers, endMembers, ProductId, Uri, Word } from "./notation.ts"
import { OfferCapsule } from "./offer.ts"
import { messageMembers } from "./signed-message.ts"

/** The answer codes of each question of each topic. CHOICE: the interface does not show the members of a dialogue. */
export const QUESTIONS = {
  PRODUCT_FIT: {
    FIT: ["COVERED", "NOT_COVERED"],
    HUMAN_REVIEW: ["REVIEW_REQUIRED", "QUOTE_REVIEW_ONLY"],
  },
  PRICE: {
    LIST_PRICE: ["FIXED_PRICE", "FREE"],
    CHARGE_RULE: ["ONCE_PER_DELIVERED_DECISION", "PER_SETTLED_DELIVERY", "NO_CHARGE"],
    RAILS: ["X402_EXACT", "X402_EXACT_AND_ACP_JOB"],
  },
  COVERAGE: {
    JURISDICTION: ["US_FEDERAL_ONLY", "UK_COMPANIES_HOUSE", "GLOBAL_KEY_CONTROL_ONLY"],
    SOURCES: ["SOURCES_LISTED"],
    SOURCE_HEALTH: ["ALL_HEALTHY", "NOT_ALL_HEALTHY"],
  },
  EVIDENCE: { OFFLINE_VERIFICATION: ["VERIFIABLE_OFFLINE"], REPLAY: ["REPLAY_FREE"] },
  INTEGRATION: {
    IDENTITY: ["AGENT_ID_REQUIRED", "AGENT_ID_OPTIONAL"],
    REHEARSAL: ["SANDBOX_AVAILABLE", "SANDBOX_OFF"],
  },
  OFFER_REQUEST: { OFFER: ["OFFER_MINTED", "OFFER_REPEATED", "NO_OFFER"] },
} as const

type Questions = typeof QUESTIONS
export type Topic = keyof Questions
export type QuestionCode = { [T in Topic]: keyof Questions[T] }[Topic]
type CodesOf<T extends Topic> = Questions[T][keyof Questions[T]]
export type AnswerCode = { [T in Topic]: CodesOf<T> extends readonly (infer Code)[] ? Code : never }[Topic]

const byTopic: readonly Readonly<Record<string, readonly string[]>>[] = Object.values(QUESTIONS)
const Topics = enumeration(...(Object.keys(QUESTIONS) as Topic[]))
const QuestionCodes = enumeration(...(byTopic.flatMap((topic) => Object.keys(topic)) as QuestionCode[]))
const AnswerCodes = enumeration(...(byTopic.flatMap((topic) => Object.values(topic).flat()) as AnswerCode[]))
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

const PRODUCT_IDS_MAX = 11
const QUESTIONS_MAX = 16

const Question = closed({ question_code: QuestionCodes, product_id: nullable(ProductId) })
export type Question = Static<typeof Question>

const AnsweredDigest = digestOver("C14N of the message that is answered, without its signature")

/**
 * Turn 0 begins a dialogue under a new id, with `in_reply_to` null. A later turn is the last one plus one and names the digest of the last
 * answer. `product_id` null: the question is about each of `product_ids`, or about every product if there are none.
 */
export const SignedAgentDialogue = closed(
  {
    ...messageMembers("svc.sales.dialogue.v1"),
    dialogue_id: CallerId,
    turn: Type.Integer({ minimum: 0, maximum: 31 }),
    in_reply_to: nullable(AnsweredDigest),
    channel: Channel,
    topic: Topics,
    product_ids: Type.Array(ProductId, { maxItems: PRODUCT_IDS_MAX, uniqueItems: true }),
    questions: Type.Array(Question, { maxItems: QUESTIONS_MAX }),
    constraints: nullable(
      closed({
        max_amount_atomic: AtomicUnits,
        asset: Type.Literal("USDC"),
        network: Type.Literal(BASE_NETWORK),
      }),
    ),
    acknowledged_offers: Type.Array(CallerId, { maxItems: 8, uniqueItems: true }),
  },
  { $id: "SignedAgentDialogue" },
)
export type SignedAgentDialogue = Static<typeof SignedAgentDialogue>

/** A fact of the catalogue, such as a price, a source id or a path. It never has a space. */
const Fact = closed({ name: Word, value: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,159}$" }) })
export type Fact = Static<typeof Fact>

const Answer = closed({
  question_code: QuestionCodes,
  product_id: nullable(ProductId),
  answer_code: AnswerCodes,
  facts: Type.Array(Fact, { maxItems: 32 }),
  references: Type.Array(Uri, { maxItems: 8 }),
})
export type Answer = Static<typeof Answer>

const Unsupported = closed({
  question_code: nullable(QuestionCodes),
  product_id: nullable(ProductId),
  reason_code: Word,
})
export type Unsupported = Static<typeof Unsupported>

/** `in_reply_to` is the digest of the request. */
export const AgentDialogueResponsePayload = closed({
  ...contractMembers,
  domain: Type.Literal("svc.sales.dialogue-response.v1"),
  audience: AgentId,
  dialogue_id: CallerId,
  turn: Type.Integer({ minimum: 0, maximum: 31 }),
  in_reply_to: AnsweredDigest,
  channel: Channel,
  answers: Type.Array(Answer, { maxItems: QUESTIONS_MAX * PRODUCT_IDS_MAX }),
  offers: Type.Array(OfferCapsule, { maxItems: PRODUCT_IDS_MAX }),
  unsupported: Type.Array(Unsupported, { maxItems: (QUESTIONS_MAX + 1) * PRODUCT_IDS_MAX }),
  issued_at: DateTime,
  expires_at: DateTime,
  ...endMembers,
})
export type AgentDialogueResponsePayload = Static<typeof AgentDialogueResponsePayload>

export const AgentDialogueResponse = signedDocument(AgentDialogueResponsePayload, { $id: "AgentDialogueResponse" })
export type AgentDialogueResponse = Static<typeof AgentDialogueResponse>

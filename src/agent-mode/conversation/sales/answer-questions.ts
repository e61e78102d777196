/** Answers the questions of a turn from the catalogue. Pure: codes, facts and links, never a sentence. */
import {
  type Answer,
  type AnswerCode,
  type Fact,
  QUESTIONS,
  type Question,
  type QuestionCode,
  type SignedAgentDialogue,
  type Unsupported,
} from "../../../../schemas/agent-mode/dialogue.ts"
import type { CatalogueLine, PaidLine, SourceLine } from "./sales-catalogue.ts"

/** The catalogue at the time of the turn. */
export interface DialogueFacts {
  readonly lines: ReadonlyMap<string, CatalogueLine>
  readonly network: string | null
  readonly sourcesOf: (country: PaidLine["country"]) => readonly SourceLine[]
  readonly hasSandbox: boolean
  readonly hasAcpJobs: boolean
  /** Products that the agent opted out of. */
  readonly left: ReadonlySet<string>
  /** The link to a path, or none if it is not served. */
  readonly linksTo: (path: string) => readonly string[]
}

interface Answered {
  readonly answers: readonly Answer[]
  readonly unsupported: readonly Unsupported[]
  /** Products for which the agent asked for an offer. They are answered with their offers. */
  readonly offerRequests: readonly string[]
}

type Reply = Pick<Answer, "answer_code" | "facts" | "references">
/** Null: the question does not apply to the product. */
type Answering = (facts: DialogueFacts, line: CatalogueLine, body: SignedAgentDialogue) => Reply | null

const fact = (name: string, value: string): Fact => ({ name, value })
const reply = (answer_code: AnswerCode, facts: Fact[] = [], references: readonly string[] = []): Reply => ({
  answer_code,
  facts,
  references: [...references],
})

const COUNTRIES = ["GB", "US"] as const

/** Questions about one product. */
const OF_PRODUCT: Readonly<Partial<Record<QuestionCode, Answering>>> = {
  FIT: (_, { paid, coverage }, { constraints }) => {
    if (paid === null) return reply("COVERED", [fact("COVERAGE", coverage)])
    // CHOICE: a product over the agent's own limit does not fit.
    if (isOverConstraint(paid, constraints)) return reply("NOT_COVERED", [fact("REASON", "OVER_CONSTRAINT")])
    const intent = paid.intent === null ? [] : [fact("INTENT", paid.intent)]
    const notFor = paid.notFor.map((code) => fact("NOT_FOR", code))
    return reply("COVERED", [fact("COUNTRY", paid.country), fact("COVERAGE", coverage), ...intent, ...notFor])
  },
  HUMAN_REVIEW: (_, { paid }) =>
    paid && reply(paid.reviewDuty === "HUMAN_REVIEW_BEFORE_PAYMENT" ? "REVIEW_REQUIRED" : "QUOTE_REVIEW_ONLY"),
  LIST_PRICE: ({ network, linksTo }, { paid }) => {
    if (paid === null) return reply("FREE", [fact("AMOUNT", "0"), fact("ASSET", "N/A_NO_CHARGE")])
    const price = [fact("AMOUNT", paid.price), fact("AMOUNT_ATOMIC", String(paid.priceAtomic)), fact("ASSET", "USDC")]
    return reply("FIXED_PRICE", network === null ? price : [...price, fact("NETWORK", network)], linksTo(paid.path))
  },
  CHARGE_RULE: (_, { chargeRule }) => reply(chargeRule),
  RAILS: ({ hasAcpJobs }, { paid }) => {
    if (paid === null) return null
    return hasAcpJobs && paid.owner === "SIGNER"
      ? reply("X402_EXACT_AND_ACP_JOB", [fact("RAIL", "X402_EXACT"), fact("RAIL", "ACP_JOB")])
      : reply("X402_EXACT", [fact("RAIL", "X402_EXACT")])
  },
  JURISDICTION: (_, { jurisdiction, coverage }) => reply(jurisdiction, [fact("COVERAGE", coverage)]),
  SOURCES: ({ sourcesOf, linksTo }, { paid }) => {
    if (paid === null) return null
    const sources = sourcesOf(paid.country).map(({ sourceId }) => fact("SOURCE", sourceId))
    return reply("SOURCES_LISTED", sources, paid.country === "US" ? linksTo("/v1/us/federal/source-health") : [])
  },
  IDENTITY: ({ linksTo }, { paid, needsAgentId }) =>
    paid && reply(needsAgentId ? "AGENT_ID_REQUIRED" : "AGENT_ID_OPTIONAL", [], linksTo("/v1/agent-id/bootstrap")),
}

/** Questions that may be about no product. */
const OF_SERVICE: Readonly<
  Partial<Record<QuestionCode, (facts: DialogueFacts, line: CatalogueLine | null) => Reply | null>>
> = {
  SOURCE_HEALTH: ({ sourcesOf }, line) => {
    if (line !== null && line.paid === null) return null
    const states = line?.paid ? sourcesOf(line.paid.country) : COUNTRIES.flatMap(sourcesOf)
    const healthy = states.every(({ health }) => health === "HEALTHY")
    return reply(
      healthy ? "ALL_HEALTHY" : "NOT_ALL_HEALTHY",
      states.map(({ sourceId, health }) => fact(sourceId, health)),
    )
  },
  OFFLINE_VERIFICATION: ({ linksTo }) => reply("VERIFIABLE_OFFLINE", [], linksTo("/.well-known/jwks.json")),
  REPLAY: () => reply("REPLAY_FREE"),
  REHEARSAL: ({ hasSandbox, linksTo }) =>
    reply(hasSandbox ? "SANDBOX_AVAILABLE" : "SANDBOX_OFF", [], linksTo("/v1/agent-mode/sandbox/journeys")),
}

export function isOverConstraint(
  { priceAtomic }: Pick<PaidLine, "priceAtomic">,
  constraints: SignedAgentDialogue["constraints"],
): boolean {
  return constraints !== null && priceAtomic > BigInt(constraints.max_amount_atomic)
}

export function answerQuestions(facts: DialogueFacts, body: SignedAgentDialogue): Answered {
  const answers: Answer[] = []
  const unsupported: Unsupported[] = unknownProducts(facts, body)
  const offerRequests = new Set<string>()
  const done = new Set<string>()
  for (const question of body.questions) {
    const { question_code } = question
    if (!Object.hasOwn(QUESTIONS[body.topic], question_code)) {
      unsupported.push({ ...question, reason_code: "OTHER_TOPIC" })
      continue
    }
    for (const product_id of subjectsOf(facts, body, question)) {
      const key = `${question_code} ${product_id}`
      if (done.has(key)) continue
      done.add(key)
      const line = product_id === null ? null : (facts.lines.get(product_id) ?? null)
      if (product_id !== null && line === null) {
        unsupported.push({ question_code, product_id, reason_code: "UNKNOWN_PRODUCT" })
      } else if (question_code === "OFFER") {
        if (product_id !== null) offerRequests.add(product_id)
      } else if (product_id !== null && facts.left.has(product_id)) {
        unsupported.push({ question_code, product_id, reason_code: "OPTED_OUT" })
      } else {
        const given = line ? OF_PRODUCT[question_code]?.(facts, line, body) : null
        const answer = given ?? OF_SERVICE[question_code]?.(facts, line) ?? null
        if (answer) answers.push({ question_code, product_id, ...answer })
        else unsupported.push({ question_code, product_id, reason_code: "NOT_APPLICABLE" })
      }
    }
  }
  return { answers, unsupported, offerRequests: [...offerRequests] }
}

/** The products of a question, or null for the service as a whole. */
function subjectsOf(
  { lines }: DialogueFacts,
  body: SignedAgentDialogue,
  question: Question,
): readonly (string | null)[] {
  if (question.product_id !== null) return [question.product_id]
  if (question.question_code in OF_SERVICE) return [null]
  const named = body.product_ids.filter((id) => lines.has(id))
  return body.product_ids.length > 0 ? named : [...lines.keys()]
}

function unknownProducts({ lines }: DialogueFacts, { product_ids }: SignedAgentDialogue): Unsupported[] {
  return product_ids
    .filter((id) => !lines.has(id))
    .map((product_id) => ({ question_code: null, product_id, reason_code: "UNKNOWN_PRODUCT" }))
}

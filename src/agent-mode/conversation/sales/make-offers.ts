/** The offers of an answer: new capsules, capsules given again, and the reasons why there is none. */

import type { Answer, SignedAgentDialogue } from "../../../../schemas/agent-mode/dialogue.ts"
import type { OfferCapsule, OfferCapsulePayload } from "../../../../schemas/agent-mode/offer.ts"
import type { StatedEnvironment } from "../../../../schemas/environment.ts"
import { type Signer, signedAnswer } from "../../../core/signer.ts"
import { DAY, formatInstant } from "../../../core/time.ts"
import type { OfferRow } from "../../../store/agent-mode/offers.ts"
import { type DialogueFacts, isOverConstraint } from "./answer-questions.ts"
import { offerTerms } from "./offer-terms.ts"
import type { CatalogueLine, PaidLine } from "./sales-catalogue.ts"

const OFFER_DAYS = 1
/** CHOICE: one capsule is given five times at most. An agent that still has not acknowledged it is not asked again. */
export const PRESENTATIONS_MAX = 5

interface OfferParts {
  readonly facts: DialogueFacts
  readonly body: SignedAgentDialogue
  /** The agent's offer of a product that still holds and is not acknowledged. */
  readonly openOffer: (productId: string) => OfferRow | null
  /** True if the agent has as many offers of the product as it may have. */
  readonly isFull: (productId: string) => boolean
  readonly isReady: (priceAtomic: bigint) => boolean
  readonly newId: () => string
  readonly signer: Signer
  readonly environment: StatedEnvironment
  readonly baseUrl: string
  readonly at: number
}

export interface MadeOffers {
  readonly answers: readonly Answer[]
  readonly offers: readonly OfferCapsule[]
  readonly minted: readonly OfferCapsule[]
  /** Ids of capsules given again. */
  readonly repeated: readonly string[]
}

export function makeOffers(parts: OfferParts, products: readonly string[]): MadeOffers {
  const answers: Answer[] = []
  const minted: OfferCapsule[] = []
  const repeated: OfferCapsule[] = []
  for (const productId of products) {
    const line = parts.facts.lines.get(productId)
    if (!line) continue
    const given = offerFor(parts, line)
    if (given.kind === "MINTED") minted.push(given.capsule)
    if (given.kind === "REPEATED") repeated.push(given.capsule)
    answers.push(answerOf(productId, given))
  }
  return {
    answers,
    offers: [...minted, ...repeated],
    minted,
    repeated: repeated.map(({ payload }) => payload.offer_capsule_id),
  }
}

type GivenOffer =
  | { readonly kind: "NONE"; readonly reason: NoOffer }
  | { readonly kind: "MINTED" | "REPEATED"; readonly capsule: OfferCapsule }
type NoOffer = "FREE_PRODUCT" | "NOT_SOLD_NOW" | "OVER_CONSTRAINT" | "OPTED_OUT" | "REPEATED_TOO_OFTEN"

function offerFor(parts: OfferParts, line: CatalogueLine): GivenOffer {
  const none = (reason: NoOffer): GivenOffer => ({ kind: "NONE", reason })
  const { facts, body, isReady } = parts
  const { paid } = line
  if (paid === null) return none("FREE_PRODUCT")
  if (facts.left.has(line.productId)) return none("OPTED_OUT")
  if (facts.network === null || !isReady(paid.priceAtomic)) return none("NOT_SOLD_NOW")
  const isOtherNetwork = body.constraints !== null && body.constraints.network !== facts.network
  if (isOtherNetwork || isOverConstraint(paid, body.constraints)) return none("OVER_CONSTRAINT")
  const open = parts.openOffer(line.productId)
  if (open === null && parts.isFull(line.productId)) return none("REPEATED_TOO_OFTEN")
  if (open === null) return { kind: "MINTED", capsule: mint(parts, line, paid, facts.network) }
  if (open.presentations >= PRESENTATIONS_MAX) return none("REPEATED_TOO_OFTEN")
  return { kind: "REPEATED", capsule: JSON.parse(open.capsule) as OfferCapsule }
}

function answerOf(product_id: string, given: GivenOffer): Answer {
  const question = { question_code: "OFFER", product_id } as const
  if (given.kind === "NONE") {
    return { ...question, answer_code: "NO_OFFER", facts: [{ name: "REASON", value: given.reason }], references: [] }
  }
  const { offer_capsule_id, status_uri } = given.capsule.payload
  return {
    ...question,
    answer_code: given.kind === "MINTED" ? "OFFER_MINTED" : "OFFER_REPEATED",
    facts: [{ name: "OFFER", value: offer_capsule_id }],
    references: [status_uri],
  }
}

function mint(parts: OfferParts, line: CatalogueLine, paid: PaidLine, network: string): OfferCapsule {
  const { signer, at, baseUrl, body, environment } = parts
  const id = parts.newId()
  const payload: OfferCapsulePayload = {
    domain: "svc.sales.offer.v1",
    schema_version: "1.0.0",
    issuer: signer.issuer,
    offer_capsule_id: id,
    audience: body.agent_id,
    ...offerTerms({ environment, baseUrl, network }, line, paid),
    purchase_idempotency_key: id,
    status_uri: `${baseUrl}/v1/agent-mode/sales/offers/${id}/status`,
    dialogue_id: body.dialogue_id,
    reservation: false,
    valid_from: formatInstant(at),
    valid_until: formatInstant(at + OFFER_DAYS * DAY),
  }
  return signedAnswer(signer, payload)
}

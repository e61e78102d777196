/** The rows that an answer is made from. The acting unit reads them again: an answer holds only if none changed. */
import type { SignedAgentDialogue } from "../../../../schemas/agent-mode/dialogue.ts"
import type { OfferCapsule } from "../../../../schemas/agent-mode/offer.ts"
import { formatInstant } from "../../../core/time.ts"
import { type Dialogue, findDialogue } from "../../../store/agent-mode/dialogues.ts"
import { findOpenOffers, hasLiveOffersMax, type OfferRow } from "../../../store/agent-mode/offers.ts"
import { isOptedOut } from "../../../store/agent-mode/sales-opt-outs.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import type { IsCurrent } from "./offer-terms.ts"

export interface DialogueBasis {
  readonly dialogue: Dialogue | null
  /** Products that the agent opted out of. */
  readonly left: readonly string[]
  /** Its offers that still hold and are not acknowledged, by this turn included: one of a product at most. */
  readonly open: readonly OfferRow[]
  /** Products of which it gets no further offer until one of its offers ends. */
  readonly full: readonly string[]
}

/** Offers that this turn acknowledges. */
export function acknowledgedBy(body: SignedAgentDialogue, dialogue: Dialogue | null): string[] {
  const answered =
    dialogue && body.in_reply_to === dialogue.lastDigest ? (JSON.parse(dialogue.lastOffers) as string[]) : []
  return [...new Set([...answered, ...body.acknowledged_offers])]
}

/** `products`: the known ones. At most eleven are served. */
export function* readBasis(
  body: SignedAgentDialogue,
  products: readonly string[],
  isCurrent: IsCurrent,
  at: number,
): Unit<DialogueBasis> {
  const { agent_id: agentId, dialogue_id } = body
  const dialogue = yield* findDialogue(agentId, dialogue_id)
  const acknowledged = acknowledgedBy(body, dialogue)
  const left: string[] = []
  const open: OfferRow[] = []
  const full: string[] = []
  for (const value of products) {
    if (yield* isOptedOut({ agentId, scope: "PRODUCT", value })) left.push(value)
    if (body.topic !== "OFFER_REQUEST") continue
    const offer = (yield* findOpenOffers(agentId, value, formatInstant(at))).find(
      ({ offerCapsuleId, capsule }) =>
        // CHOICE: an offer whose price, network, terms or key no longer hold is not given again. Another one is made.
        !acknowledged.includes(offerCapsuleId) && isCurrent(JSON.parse(capsule) as OfferCapsule),
    )
    if (offer) open.push(offer)
    else if (yield* hasLiveOffersMax(agentId, value, formatInstant(at))) full.push(value)
  }
  return { dialogue, left, open, full }
}

export function isSameBasis(one: DialogueBasis, other: DialogueBasis): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** How far an offer came. PAID is read from the records of deliveries and never written. */
import { OfferCapsuleId, type OfferStatus } from "../../../../schemas/agent-mode/offer.ts"
import { ServiceError } from "../../../base/errors.ts"
import { DAY, formatInstant, instant } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { findOffer, isOfferPaid } from "../../../store/agent-mode/offers.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import { OFFER_KEPT_DAYS } from "./hold-dialogue.ts"

const WELL_FORMED = new RegExp(OfferCapsuleId.pattern ?? "^$", "u")

export async function replyOfferStatus({ store }: AgentSalesDeps, { params, at }: Call<null>): Promise<Reply> {
  const id = params["offerCapsuleId"] ?? ""
  const status = WELL_FORMED.test(id) ? await store.readTogether(() => statusOf(id, at)) : null
  if (!status) throw new ServiceError("OFFER_NOT_FOUND", "No offer has this id, or it ended more than 90 days ago.")
  return { status: 200, body: status, note: { state: status.state } }
}

function* statusOf(id: string, at: number): Unit<OfferStatus | null> {
  const offer = yield* findOffer(id)
  if (!offer) return null
  const end = instant(offer.validUntil)
  if (end + OFFER_KEPT_DAYS * DAY <= at) return null
  const state = (yield* isOfferPaid(offer)) ? "PAID" : offer.state
  return {
    ...CONTRACT,
    offer_capsule_id: id,
    state,
    presentations: offer.presentations,
    expired: end <= at,
    valid_until: offer.validUntil,
    as_of: formatInstant(at),
    effects: NO_EFFECTS,
    limitations: ["NO_CONTACT_COORDINATE", "PAID_BY_OWN_DELIVERY_RECORDS"],
    next_machine_action: state === "PAID" ? "STOP" : end <= at ? "REQUEST_NEW_OFFER" : "ACKNOWLEDGE_OR_PURCHASE",
  }
}

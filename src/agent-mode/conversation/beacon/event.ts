/** One event: counted under its consent, and not kept. Consent, counters and answer are one unit. */
import type {
  IntentBeaconResult,
  SignedIntentBeaconConsent,
  SignedIntentBeaconEvent,
} from "../../../../schemas/agent-mode/beacon.ts"
import { DAY, formatInstant, instant } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { countOnDay, findConsentTerms } from "../../../store/agent-mode/beacon-consents.ts"
import { countEvent } from "../../../store/agent-mode/beacon-counters.ts"
import type { MessageFacts } from "../../../store/agent-mode/message-facts.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import type { ServedCatalogue } from "../../served-catalogue.ts"
import { type Acting, actOnMessage } from "../messages/act-on-message.ts"
import { markOf } from "../messages/message-marks.ts"
import { CLOCK_SKEW_MS, requireCurrent, timeFault } from "../messages/message-times.ts"
import { requireSigned } from "../messages/received-message.ts"
import { type Refusal, refusal, refusalError } from "../messages/refusal.ts"
import { beaconStop, channelRefusal, optOutRefusal } from "../sales/stops.ts"
import { dayOf } from "./retention.ts"

export async function replyEvent(
  deps: AgentSalesDeps,
  catalogue: ServedCatalogue,
  call: Call<SignedIntentBeaconEvent>,
): Promise<Reply> {
  const { body, at } = call
  requireCurrent(body, at)
  requireRecent(body, at)
  const message = await requireSigned(deps, body, "INTENT_BEACON", call)
  const acted = await deps.store.run(() => actOnMessage(message, actingOn(deps, catalogue, body, at)))
  if (acted.kind === "REFUSED") throw refusalError(acted, deps.baseUrl())
  const answer: IntentBeaconResult = {
    ...CONTRACT,
    event_id: body.event_id,
    consent_id: body.consent_id,
    status: "ACCEPTED",
    received_at: acted.response,
    replayed: acted.replayed,
    content_retained: false,
    effects: NO_EFFECTS,
    limitations: ["COUNTED_ONLY", "NO_CONTENT_RETAINED"],
    next_machine_action: "CONTINUE_OR_STOP",
  }
  return { status: 202, body: answer, note: { kind: body.event_kind, replayed: acted.replayed } }
}

function requireRecent({ occurred_at }: SignedIntentBeaconEvent, at: number): void {
  const occurred = instant(occurred_at)
  if (occurred < at - DAY) throw timeFault("/occurred_at", "OCCURRED_TOO_EARLY", "at most 24 hours ago")
  if (occurred > at + CLOCK_SKEW_MS) throw timeFault("/occurred_at", "OCCURRED_IN_FUTURE", "at most 30 seconds ahead")
}

function actingOn(deps: AgentSalesDeps, catalogue: ServedCatalogue, body: SignedIntentBeaconEvent, at: number): Acting {
  const { agent_id: agentId, consent_id: consentId, event_id, event_kind: eventKind, channel } = body
  const productId = body.product_id
  const now = formatInstant(at)
  const event = { consentId, day: dayOf(at), eventMark: markOf({ agent_id: agentId, event_id }) }
  const wasCounted = ({ countedUntil }: MessageFacts) => countedUntil !== null && now < countedUntil
  return {
    cap: "BEACON_EVENTS",
    event,
    *conditions(isRepeat, facts): Unit<Refusal | null> {
      const { consent, hasSwitches, hasOptedOut } = facts
      const stopped = yield* beaconStop(deps.isOn.beacon, channel, hasSwitches)
      if (stopped) return stopped
      const left = hasOptedOut ? yield* optOutRefusal(agentId, channel, productId) : null
      if (left) return left
      const inactive = consentRefusal(consent, now)
      if (inactive) return inactive
      // Only a consent that passed its schema is kept.
      const terms = JSON.parse(yield* findConsentTerms(agentId, consentId)) as SignedIntentBeaconConsent
      if (at < instant(terms.valid_from)) return inactiveConsent("CONSENT_NOT_BEGUN")
      const outside = termsRefusal(terms, body) ?? productRefusal(productId, catalogue.lines)
      if (outside) return outside
      // CHOICE: an event counts on the UTC day on which it is received.
      const isUsedUp = !isRepeat && facts.events >= terms.max_events_per_day
      if (isUsedUp && !wasCounted(facts)) {
        return refusal("POLICY_CONFLICT", "DAY_USED_UP", "The consent allows no more events today.")
      }
      if (!terms.channels.includes(channel)) {
        return refusal("CHANNEL_NOT_ALLOWED", "CHANNEL_NOT_CONSENTED", "The consent does not name this channel.")
      }
      return yield* channelRefusal(channel, catalogue.channels, at, hasSwitches)
    },
    /** The kept text is the time of receipt: the rest of the answer is in the request. */
    *write(facts) {
      if (wasCounted(facts)) return { response: now, replayed: true }
      yield* countOnDay({ agentId, consentId, day: event.day })
      yield* countEvent({ day: event.day, eventKind, productId: productId ?? "", channel })
      return { response: now, replayed: false, isCounted: true }
    },
  }
}

function inactiveConsent(reason: string): Refusal {
  return refusal("CONSENT_NOT_ACTIVE", reason, "No event is taken without a live consent.")
}

/** Null: the consent is granted, neither revoked nor ended at `now` (RFC 3339). */
function consentRefusal(consent: MessageFacts["consent"], now: string): Refusal | null {
  if (!consent) return inactiveConsent("CONSENT_UNKNOWN")
  if (consent.revokedAt !== null) return inactiveConsent("CONSENT_REVOKED")
  return now < consent.validUntil ? null : inactiveConsent("CONSENT_ENDED")
}

/** Refusals by the terms of a live consent. */
function termsRefusal(terms: SignedIntentBeaconConsent, body: SignedIntentBeaconEvent): Refusal | null {
  const from = instant(terms.valid_from)
  if (instant(body.occurred_at) < from) {
    const reason = "OCCURRED_BEFORE_CONSENT"
    return {
      ...refusal("TIMESTAMP_REJECTED", reason, "The event happened before the consent begins."),
      errors: [{ pointer: "/occurred_at", code: reason, expected: "not before the consent's valid_from" }],
    }
  }
  if (terms.event_kinds.includes(body.event_kind)) return null
  return refusal("POLICY_CONFLICT", "KIND_NOT_CONSENTED", "The consent does not name this kind of event.")
}

function productRefusal(productId: string | null, known: ReadonlyMap<string, unknown>): Refusal | null {
  if (productId === null || known.has(productId)) return null
  return refusal("POLICY_CONFLICT", "PRODUCT_UNKNOWN", "No such product is served.")
}

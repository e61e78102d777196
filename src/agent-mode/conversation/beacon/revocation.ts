/** An agent revokes a consent. No event is accepted after the answer, and no switch delays it. */
import type {
  IntentBeaconRevocationResult,
  SignedIntentBeaconRevocation,
} from "../../../../schemas/agent-mode/beacon.ts"
import { ServiceError } from "../../../base/errors.ts"
import { formatInstant } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { findConsent, revokeConsent } from "../../../store/agent-mode/beacon-consents.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import { type Acting, actOnMessage } from "../messages/act-on-message.ts"
import { requireCurrent } from "../messages/message-times.ts"
import { type ReceivedMessage, requireSigned } from "../messages/received-message.ts"
import { type Refusal, refusal, refusalError } from "../messages/refusal.ts"

export async function replyRevocation(deps: AgentSalesDeps, call: Call<SignedIntentBeaconRevocation>): Promise<Reply> {
  const { body, params, at } = call
  if (params["consentId"] !== body.consent_id) {
    throw new ServiceError("SCHEMA_INVALID", "consent_id must be the one in the path.", {
      errors: [{ pointer: "/consent_id", code: "PATH", expected: "the id in the path" }],
    })
  }
  requireCurrent(body, at)
  const message = await requireSigned(deps, body, "INTENT_BEACON", call)
  const acted = await deps.store.run(() => actOnMessage(message, actingOn(body.consent_id, message)))
  if (acted.kind === "REFUSED") throw refusalError(acted, deps.baseUrl())
  const answer: IntentBeaconRevocationResult = {
    ...CONTRACT,
    consent_id: body.consent_id,
    status: "REVOKED",
    effective_at: acted.response,
    replayed: acted.replayed,
    effects: NO_EFFECTS,
    limitations: ["COUNTERS_NAME_NO_AGENT"],
    next_machine_action: "STOP_SENDING_EVENTS",
  }
  return { status: 200, body: answer, note: { replayed: acted.replayed } }
}

function actingOn(consentId: string, { agentId, at }: ReceivedMessage): Acting {
  return {
    isStop: true,
    *conditions(): Unit<Refusal | null> {
      if (yield* findConsent(agentId, consentId)) return null
      return refusal("CONSENT_NOT_ACTIVE", "CONSENT_UNKNOWN", "This agent has no such consent.")
    },
    cap: "SALES_MESSAGES",
    *isLeaving() {
      return (yield* findConsent(agentId, consentId))?.revokedAt === null
    },
    /** The kept text is the time of the first revocation. */
    *write() {
      const consent = yield* findConsent(agentId, consentId)
      if (consent?.revokedAt) return { response: consent.revokedAt, replayed: true }
      const revokedAt = formatInstant(at)
      if (consent) yield* revokeConsent(consent, revokedAt)
      return { response: revokedAt, replayed: false }
    },
  }
}

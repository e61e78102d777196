/** An agent consents to the Intent Beacon. */
import {
  BEACON_POLICY_VERSION,
  type BeaconConsentReceiptPayload,
  type IntentBeaconConsentResult,
  RETAINED,
  type SignedIntentBeaconConsent,
} from "../../../../schemas/agent-mode/beacon.ts"
import { BEACON_PATH } from "../../../../schemas/agent-mode/beacon-operations.ts"
import { CONSENT_DAYS_MAX } from "../../../../schemas/agent-mode/identity-adoption.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { signedAnswer } from "../../../core/signer.ts"
import { DAY, formatInstant, instant } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { findConsent, hasLiveConsents, insertConsent } from "../../../store/agent-mode/beacon-consents.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import { type Acting, actOnMessage } from "../messages/act-on-message.ts"
import { requireCurrent, timeFault } from "../messages/message-times.ts"
import { type ReceivedMessage, requireSigned } from "../messages/received-message.ts"
import { type Refusal, refusal, refusalError } from "../messages/refusal.ts"
import { beaconStop, optOutRefusal } from "../sales/stops.ts"

/** CHOICE: an agent has at most 16 live consents. */
const LIVE_CONSENTS_MAX = 16

export async function replyConsent(deps: AgentSalesDeps, call: Call<SignedIntentBeaconConsent>): Promise<Reply> {
  const { body, at } = call
  requireCurrent(body, at)
  requireValidity(body, at)
  const message = await requireSigned(deps, body, "INTENT_BEACON", call)
  const result = canonicalize(resultOf(deps, body, message))
  const acted = await deps.store.run(() => actOnMessage(message, actingOn(deps, body, message, result)))
  if (acted.kind === "REFUSED") throw refusalError(acted, deps.baseUrl())
  const answer: IntentBeaconConsentResult = {
    ...(JSON.parse(acted.response) as IntentBeaconConsentResult),
    replayed: acted.replayed,
  }
  return { status: 201, body: answer, note: { replayed: acted.replayed } }
}

function requireValidity({ valid_from, valid_until }: SignedIntentBeaconConsent, at: number): void {
  const from = instant(valid_from)
  const until = instant(valid_until)
  if (from > at + DAY) throw timeFault("/valid_from", "VALID_FROM_TOO_FAR", "at most one day ahead")
  if (until <= at) throw timeFault("/valid_until", "VALID_UNTIL_PAST", "a time ahead")
  if (until <= from) throw timeFault("/valid_until", "WINDOW_EMPTY", "after valid_from")
  if (until - from > CONSENT_DAYS_MAX * DAY) {
    throw timeFault("/valid_until", "VALIDITY_TOO_LONG", `at most ${CONSENT_DAYS_MAX} days after valid_from`)
  }
}

function actingOn(
  deps: AgentSalesDeps,
  body: SignedIntentBeaconConsent,
  { agentId, requestDigest, at }: ReceivedMessage,
  response: string,
): Acting {
  const { consent_id: consentId } = body
  const grantedAt = formatInstant(at)
  return {
    *conditions(isRepeat, { hasSwitches }): Unit<Refusal | null> {
      const stopped =
        (yield* beaconStop(deps.isOn.beacon, null, hasSwitches)) ?? (yield* optOutRefusal(agentId, null, null))
      if (stopped) return stopped
      const earlier = yield* findConsent(agentId, consentId)
      if (earlier && earlier.requestDigest !== requestDigest) {
        return refusal("CONSENT_EXISTS", "OTHER_CONTENT", "This consent id of the agent has other content.")
      }
      if (body.policy_version !== BEACON_POLICY_VERSION) {
        return refusal("POLICY_CONFLICT", "POLICY_VERSION", `The policy has version ${BEACON_POLICY_VERSION}.`)
      }
      if (!isRepeat && (yield* hasLiveConsents(agentId, LIVE_CONSENTS_MAX, grantedAt))) {
        return refusal("POLICY_CONFLICT", "LIVE_CONSENTS", `At most ${LIVE_CONSENTS_MAX} consents are live at a time.`)
      }
      return null
    },
    cap: "SALES_MESSAGES",
    *write() {
      yield* insertConsent({
        agentId,
        consentId,
        terms: canonicalize(body),
        requestDigest,
        grantedAt,
        validUntil: formatInstant(instant(body.valid_until)),
      })
      return { response, replayed: false }
    },
  }
}

function resultOf(
  deps: AgentSalesDeps,
  body: SignedIntentBeaconConsent,
  { at, requestDigest }: ReceivedMessage,
): IntentBeaconConsentResult {
  const signer = deps.signer()
  const said = {
    consent_id: body.consent_id,
    status: "GRANTED",
    granted_at: formatInstant(at),
    valid_until: formatInstant(instant(body.valid_until)),
    revoke_uri: `${deps.baseUrl()}${BEACON_PATH}/consents/${body.consent_id}/revoke`,
  } as const
  const receipt: BeaconConsentReceiptPayload = {
    domain: "svc.beacon.consent-receipt.v1",
    schema_version: "1.0.0",
    issuer: signer.issuer,
    audience: body.agent_id,
    ...said,
    retained: [...RETAINED],
    request_digest: requestDigest,
  }
  return {
    ...CONTRACT,
    ...said,
    retained: [...RETAINED],
    replayed: false,
    receipt: signedAnswer(signer, receipt),
    effects: NO_EFFECTS,
    limitations: ["REVOCABLE_AT_ANY_TIME", "NO_CONTENT_RETAINED"],
    next_machine_action: "SEND_EVENTS_OR_REVOKE",
  }
}

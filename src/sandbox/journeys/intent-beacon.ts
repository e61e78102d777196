/** INTENT_BEACON: an agent consents, sends one event twice, revokes, and the next event is refused. */
import {
  BEACON_POLICY_VERSION,
  SignedIntentBeaconConsent,
  SignedIntentBeaconEvent,
  SignedIntentBeaconRevocation,
} from "../../../schemas/agent-mode/beacon.ts"
import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../../schemas/agent-mode/beacon-operations.ts"
import { signMessage, type WantedMessage } from "../../agent/sign-message.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { type Cast, enrolAgent, type MadeDocument } from "../journey-cast.ts"
import { SANDBOX_BASE_URL } from "../open-sandbox.ts"

const CONSENT_ID = "synthetic-consent-0001"
const CHANNEL = "http-api"

export async function playBeacon(cast: Cast): Promise<MadeDocument[]> {
  const { transcript, sandbox, agentKeys } = cast
  const { machine } = sandbox
  const agent = await enrolAgent(cast)
  const signed = (schema: WantedMessage["schema"], members: WantedMessage["members"]) => {
    const signer = { agentId: agent.issuer, keys: agentKeys, server: SANDBOX_BASE_URL, machine }
    return JSON.parse(signMessage(signer, { schema, scope: "INTENT_BEACON", members }).text) as object
  }
  const post = (path: string, body: object, status: number) =>
    transcript.call({ actor: "AGENT", method: "POST", path, body, status })
  const eventOf = (event_id: string) =>
    signed(SignedIntentBeaconEvent, {
      event_id,
      consent_id: CONSENT_ID,
      event_kind: "INTENT_OPENED",
      product_id: null,
      channel: CHANNEL,
      occurred_at: formatInstant(machine.now()),
    })

  const now = machine.now()
  const consent = signed(SignedIntentBeaconConsent, {
    consent_id: CONSENT_ID,
    purpose: "INTENT_BEACON",
    event_kinds: ["INTENT_OPENED"],
    channels: [CHANNEL],
    policy_version: BEACON_POLICY_VERSION,
    valid_from: formatInstant(now),
    valid_until: formatInstant(now + DAY),
    max_events_per_day: 10,
  })
  const granted = await post(grantBeaconConsent.path, consent, 201)
  const event = eventOf("synthetic-event-0001")
  await post(acceptBeaconEvent.path, event, 202)
  await post(acceptBeaconEvent.path, event, 202)
  const revocation = signed(SignedIntentBeaconRevocation, { consent_id: CONSENT_ID, reason_code: "CONSENT_WITHDRAWN" })
  await post(revokeBeaconConsent.path.replace("{consentId}", CONSENT_ID), revocation, 200)
  await post(acceptBeaconEvent.path, eventOf("synthetic-event-0002"), 409)
  return [
    { type: "EVENT_RECEIPT", document: agent.receipt },
    { type: "BEACON_CONSENT_RECEIPT", document: granted.body?.["receipt"] as object },
  ]
}

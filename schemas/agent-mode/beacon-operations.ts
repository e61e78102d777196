/** The routes of the Intent Beacon (Interface, "Agent sales and Intent Beacon"). */
import { operation } from "../operation.ts"
import { problem } from "../problem.ts"
import {
  IntentBeaconConsentResult,
  IntentBeaconResult,
  IntentBeaconRevocationResult,
  SignedIntentBeaconConsent,
  SignedIntentBeaconEvent,
  SignedIntentBeaconRevocation,
} from "./beacon.ts"
import { consentExample, eventExample, revocationExample } from "./example-bodies.ts"
import { CallerId } from "./notation.ts"
import { LEAVING, MESSAGE_PROBLEMS, messageRow } from "./sales-operations.ts"

export const BEACON_PATH = "/v1/agent-mode/intent-beacon"

export const grantBeaconConsent = operation({
  ...messageRow(SignedIntentBeaconConsent),
  exampleBody: consentExample,
  id: "grant_intent_beacon_consent",
  path: `${BEACON_PATH}/consents`,
  summary: "Consent to tell intents by code, for named kinds and channels and at most 90 days",
  responses: { 201: { description: "Consent recorded", schema: IntentBeaconConsentResult }, ...MESSAGE_PROBLEMS },
  rateLimit: { group: "agent-mode-consents", perMinute: 30 },
})

export const revokeBeaconConsent = operation({
  ...messageRow(SignedIntentBeaconRevocation),
  exampleBody: revocationExample,
  id: "revoke_intent_beacon_consent",
  path: `${BEACON_PATH}/consents/{consentId}/revoke`,
  summary: "Revoke a consent: no event is accepted once the service has responded",
  parameters: { consentId: CallerId },
  responses: {
    200: { description: "Revoked", schema: IntentBeaconRevocationResult },
    ...MESSAGE_PROBLEMS,
    404: problem("Malformed consent id"),
  },
  rateLimit: LEAVING,
})

export const acceptBeaconEvent = operation({
  ...messageRow(SignedIntentBeaconEvent),
  exampleBody: eventExample,
  id: "accept_intent_beacon_event",
  path: `${BEACON_PATH}/events`,
  summary: "One signed event without content, under a consent; it is counted and not kept",
  responses: { 202: { description: "Counted", schema: IntentBeaconResult }, ...MESSAGE_PROBLEMS },
  rateLimit: { group: "agent-mode-events", perMinute: 120 },
})

/** The Intent Beacon: an agent consents, then tells by code what it intends, until it revokes. An event has no content. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, Identifier, signedDocument } from "../common.ts"
import { Channel } from "./channels.ts"
import { CallerId, contractMembers, endMembers, ProductId, Uri } from "./notation.ts"
import { messageMembers } from "./signed-message.ts"

/** CHOICE: the interface does not show the kinds of events. These five say how far an intent came, and nothing about its content. */
export const EVENT_KINDS = [
  "INTENT_OPENED",
  "EVALUATION_STARTED",
  "QUOTE_VIEWED",
  "PURCHASE_PLANNED",
  "INTENT_CLOSED",
] as const
const EventKind = enumeration(...EVENT_KINDS)

export const BEACON_POLICY_VERSION = "1.0.0"
/** CHOICE: a consent allows at most 1,000 events a day. */
export const EVENTS_PER_DAY_MAX = 1000

/**
 * Everything that is kept because of a consent. EVENT_DIGEST: of agent and event id, so that an event counts once. ANSWER: the time of
 * receipt under the digest of the request, for a repetition. DAILY_COUNTERS name no agent.
 */
export const RETAINED = [
  "CONSENT_TERMS_400_DAYS_AFTER_END",
  "CONSENT_DAY_COUNT_2_DAYS",
  "EVENT_DIGEST_48_HOURS",
  "ANSWER_48_HOURS",
  "NONCE_UNTIL_MESSAGE_ENDS",
  "DAILY_COUNTERS_400_DAYS",
] as const

const EventKinds = Type.Array(EventKind, { minItems: 1, maxItems: 5, uniqueItems: true })
const Retained = Type.Array(enumeration(...RETAINED), { minItems: 1, uniqueItems: true })

export const SignedIntentBeaconConsent = closed(
  {
    ...messageMembers("svc.beacon.consent.v1"),
    consent_id: CallerId,
    purpose: Type.Literal("INTENT_BEACON"),
    event_kinds: EventKinds,
    channels: Type.Array(Channel, { minItems: 1, maxItems: 20, uniqueItems: true }),
    policy_version: Type.String({ pattern: "^[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}$" }),
    valid_from: DateTime,
    valid_until: DateTime,
    max_events_per_day: Type.Integer({ minimum: 1, maximum: EVENTS_PER_DAY_MAX }),
  },
  { $id: "SignedIntentBeaconConsent" },
)
export type SignedIntentBeaconConsent = Static<typeof SignedIntentBeaconConsent>

const consentMembers = {
  consent_id: CallerId,
  status: Type.Literal("GRANTED"),
  granted_at: DateTime,
  valid_until: DateTime,
  revoke_uri: Uri,
  retained: Retained,
}

export const BeaconConsentReceiptPayload = closed({
  domain: Type.Literal("svc.beacon.consent-receipt.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Identifier,
  audience: AgentId,
  ...consentMembers,
  request_digest: digestOver("C14N of the message without its signature"),
})
export type BeaconConsentReceiptPayload = Static<typeof BeaconConsentReceiptPayload>

export const IntentBeaconConsentResult = closed(
  {
    ...contractMembers,
    ...consentMembers,
    replayed: Type.Boolean(),
    receipt: signedDocument(BeaconConsentReceiptPayload),
    ...endMembers,
  },
  { $id: "IntentBeaconConsentResult" },
)
export type IntentBeaconConsentResult = Static<typeof IntentBeaconConsentResult>

export const SignedIntentBeaconRevocation = closed(
  {
    ...messageMembers("svc.beacon.revocation.v1"),
    consent_id: CallerId,
    reason_code: Type.Optional(enumeration("CONSENT_WITHDRAWN", "KEY_COMPROMISE", "PURPOSE_ENDED", "UNSPECIFIED")),
  },
  { $id: "SignedIntentBeaconRevocation" },
)
export type SignedIntentBeaconRevocation = Static<typeof SignedIntentBeaconRevocation>

export const IntentBeaconRevocationResult = closed(
  {
    ...contractMembers,
    consent_id: CallerId,
    status: Type.Literal("REVOKED"),
    effective_at: DateTime,
    replayed: Type.Boolean(),
    ...endMembers,
  },
  { $id: "IntentBeaconRevocationResult" },
)
export type IntentBeaconRevocationResult = Static<typeof IntentBeaconRevocationResult>

export const SignedIntentBeaconEvent = closed(
  {
    ...messageMembers("svc.beacon.event.v1"),
    event_id: CallerId,
    consent_id: CallerId,
    event_kind: EventKind,
    product_id: Type.Union([ProductId, Type.Null()]),
    channel: Channel,
    occurred_at: DateTime,
  },
  { $id: "SignedIntentBeaconEvent" },
)
export type SignedIntentBeaconEvent = Static<typeof SignedIntentBeaconEvent>

export const IntentBeaconResult = closed(
  {
    ...contractMembers,
    event_id: CallerId,
    consent_id: CallerId,
    status: Type.Literal("ACCEPTED"),
    received_at: DateTime,
    replayed: Type.Boolean(),
    content_retained: Type.Literal(false),
    ...endMembers,
  },
  { $id: "IntentBeaconResult" },
)
export type IntentBeaconResult = Static<typeof IntentBeaconResult>

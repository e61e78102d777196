import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, KeyId, signatureOver, signedDocument } from "../common.ts"
import { AgentProfile } from "./identity.ts"
import { EVENT_RECEIPT_DOMAIN, SigningRole } from "./key-event.ts"

export const EventSignature = closed({
  role: SigningRole,
  key_id: KeyId,
  algorithm: Type.Literal("Ed25519"),
  value: signatureOver("C14N of the challenge (KEY_EVENT)"),
})
export type EventSignature = Static<typeof EventSignature>

export const ProveAgentIdentityChallenge = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    challenge_digest: digestOver("C14N of the challenge, which is the key event"),
    signatures: Type.Array(EventSignature, { minItems: 1, maxItems: 2 }),
  },
  { $id: "ProveAgentIdentityChallenge" },
)
export type ProveAgentIdentityChallenge = Static<typeof ProveAgentIdentityChallenge>

const LogIndex = Type.Integer({ minimum: 0, description: "Place of the event's leaf in the transparency log" })

const EventDigest = digestOver("C14N of the key event")

/** The service's signed receipt that it accepted an event at a time. An agent can show it if the event is later denied. */
export const EventReceiptPayload = closed({
  domain: Type.Literal(EVENT_RECEIPT_DOMAIN),
  schema_version: Type.Literal("1.0.0"),
  agent_id: AgentId,
  sequence: Type.Integer({ minimum: 0 }),
  event_digest: EventDigest,
  accepted_at: DateTime,
  log_index: LogIndex,
})
export type EventReceiptPayload = Static<typeof EventReceiptPayload>

export const EventReceipt = signedDocument(EventReceiptPayload)
export type EventReceipt = Static<typeof EventReceipt>

export const AgentIdentityProofResult = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    result: enumeration("ENROLLED", "ROTATED", "REVOKED"),
    replayed: Type.Boolean(),
    agent_id: AgentId,
    profile: AgentProfile,
    event: closed({
      sequence: Type.Integer({ minimum: 0 }),
      event_digest: EventDigest,
      accepted_at: DateTime,
      log_index: LogIndex,
    }),
    receipt: EventReceipt,
    next_machine_action: enumeration(
      "SIGN_REQUESTS_WITH_OPERATIONAL_KEY",
      "SIGN_REQUESTS_WITH_NEW_OPERATIONAL_KEY",
      "KEEP_NEW_RECOVERY_KEY_OFFLINE",
      "ROTATE_OPERATIONAL_KEY_WITH_RECOVERY_KEY",
      "ENROLL_NEW_IDENTITY",
    ),
  },
  { $id: "AgentIdentityProofResult" },
)
export type AgentIdentityProofResult = Static<typeof AgentIdentityProofResult>

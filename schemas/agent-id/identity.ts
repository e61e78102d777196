/** The public data of an identity: a minimized profile and a signed status. It contains no enrolment time, no channel and no counts. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, KeyId, PayloadDigest, SignatureObject } from "../common.ts"
import { Limitations } from "./challenge.ts"
import { STATUS_DOMAIN } from "./key-event.ts"

const IdentityStatus = enumeration("ACTIVE", "REVOKED")
export const KeyStatus = enumeration("ACTIVE", "ROTATED", "REVOKED")

export const AgentProfile = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    agent_id: AgentId,
    identity_status: IdentityStatus,
    product_id: Type.Literal("svc.agent-id.v1"),
    claim: Type.Literal("KEY_CONTROL_ONLY"),
    assurance_level: Type.Literal("SELF_REGISTERED"),
    coverage: Type.Literal("GLOBAL_KEY_CONTROL_ONLY"),
    evidence: Type.Literal("ED25519_PROOF_OF_POSSESSION"),
    issuer: Type.String(),
    keys: Type.Array(
      closed({
        key_id: KeyId,
        role: Type.Literal("OPERATIONAL"),
        status: KeyStatus,
        algorithm: Type.Literal("Ed25519"),
      }),
    ),
    links: closed({ status: Type.String(), jwks: Type.String(), export: Type.String(), claim: Type.String() }),
    limitations: Limitations,
  },
  { $id: "AgentProfile" },
)
export type AgentProfile = Static<typeof AgentProfile>

export const AgentStatusPayload = closed({
  domain: Type.Literal(STATUS_DOMAIN),
  schema_version: Type.Literal("1.0.0"),
  agent_id: AgentId,
  identity_status: IdentityStatus,
  sequence: Type.Integer({ minimum: 0 }),
  head_event_digest: digestOver("C14N of the newest key event of the agent"),
  keys: Type.Array(
    closed({ key_id: KeyId, role: enumeration("OPERATIONAL", "RECOVERY"), status: KeyStatus, since: DateTime }),
  ),
  as_of: DateTime,
  fresh_until: DateTime,
  freshness: closed({
    status: enumeration("FRESH", "STALE", "UNKNOWN"),
    max_age_seconds: Type.Literal(60),
    basis: Type.Literal("ISSUER_STATE"),
  }),
  log: closed(
    { origin: Type.String(), tree_size: Type.Integer({ minimum: 1 }) },
    { description: "The transparency log that holds the head event, and its size when the status was made" },
  ),
})
export type AgentStatusPayload = Static<typeof AgentStatusPayload>

export const AgentStatus = closed(
  {
    payload: AgentStatusPayload,
    digest: PayloadDigest,
    signature: SignatureObject,
    limitations: Limitations,
    next_machine_action: Type.Literal("USE_UNTIL_FRESH_UNTIL_THEN_REFETCH"),
  },
  { $id: "AgentStatus" },
)
export type AgentStatus = Static<typeof AgentStatus>

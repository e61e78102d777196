/** Building and naming key events. Pure, so that the agent's own machine checks with the same lines what the service builds. */
import { type EnrolmentEvent, KEY_EVENT_DOMAIN } from "../../../schemas/agent-id/key-event.ts"
import { keyIdOf, publicJwk } from "../../core/jwk.ts"

/** Ruling 61: the identity challenge lives 600 s, every other signed window at most 300 s. */
export const CHALLENGE_TTL_SECONDS = 600
export const CHALLENGE_ID_BYTES = 24
export const NONCE_BYTES = 32

export interface EnrolmentParts {
  /** Origin of the service: `scheme://host[:port]`. */
  readonly audience: string
  readonly challengeId: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expiresAt: string
  /** RFC 8037 `x` of the two keys. */
  readonly operationalX: string
  readonly recoveryX: string
  readonly nextOperationalKeyDigest: string | null
}

export function enrolmentEvent(parts: EnrolmentParts): EnrolmentEvent {
  return {
    domain: KEY_EVENT_DOMAIN,
    schema_version: "1.0.0",
    claim: "KEY_CONTROL_ONLY",
    audience: parts.audience,
    purpose: "ENROLLMENT",
    challenge_id: parts.challengeId,
    nonce: parts.nonce,
    issued_at: parts.issuedAt,
    expires_at: parts.expiresAt,
    agent_id: null,
    sequence: 0,
    previous_event_digest: null,
    keys: {
      operational: { key_id: keyIdOf(parts.operationalX), public_jwk: publicJwk(parts.operationalX) },
      recovery: { key_id: keyIdOf(parts.recoveryX), public_jwk: publicJwk(parts.recoveryX) },
    },
    next_operational_key_digest: parts.nextOperationalKeyDigest,
    change: { kind: "ENROLL", authorized_by: ["OPERATIONAL", "RECOVERY"] },
  }
}

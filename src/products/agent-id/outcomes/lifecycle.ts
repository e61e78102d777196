import type { ClaimedTimeRelation, LifecycleOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"
import { formatInstant, instant } from "../../../core/time.ts"
import { CLOCK_SKEW_MS } from "../signature-window.ts"

/** The named key as the identity has it now. */
export interface LifecycleKey {
  readonly role: "OPERATIONAL" | "RECOVERY"
  readonly status: "ACTIVE" | "ROTATED" | "REVOKED"
  /** RFC 3339; `until` is null while ACTIVE, `compromisedSince` unless a compromise was claimed. */
  readonly since: string
  readonly until: string | null
  readonly compromisedSince: string | null
}

export type IdentityState =
  | { readonly kind: "UNAVAILABLE" }
  | { readonly kind: "AGENT_NOT_FOUND" }
  | {
      readonly kind: "KNOWN"
      readonly identityStatus: "ACTIVE" | "REVOKED"
      readonly headEventDigest: string
      /** null: the agent never had this key. */
      readonly key: LifecycleKey | null
    }

export interface LifecycleFacts {
  readonly state: IdentityState
  /** The signer's own `issued_at`, milliseconds since the epoch; null without a readable one. */
  readonly issuedAt: number | null
  /** When exactly this statement was registered; null when it was not, undefined when there is no statement. */
  readonly registeredAt: string | null | undefined
  readonly at: number
}

/**
 * What the identity's history says of the key, whether or not the signature verifies. `issued_at` is the signer's word: a thief
 * writes any time he likes, so only a registration made before the change shows that a signature is older than it.
 */
export function lifecycleOutcome({ state, issuedAt, registeredAt, at }: LifecycleFacts): LifecycleOutcome {
  const statusAsOf = formatInstant(at)
  if (state.kind === "UNAVAILABLE") return withoutKey("NOT_EVALUATED", null, null, ["STATE_UNAVAILABLE"])
  if (state.kind === "AGENT_NOT_FOUND") return withoutKey("AGENT_NOT_FOUND", statusAsOf, null, [])
  const { key, headEventDigest } = state
  if (!key) return withoutKey("KEY_NOT_FOUND", statusAsOf, headEventDigest, [])
  // A recovery key signs key events and nothing else; a statement by one is by no key that may make it.
  if (key.role === "RECOVERY") return withoutKey("KEY_NOT_FOUND", statusAsOf, headEventDigest, ["RECOVERY_KEY"])
  return {
    anchored_before_change: anchored(key, registeredAt),
    claimed_time_relation: relationOf(key, issuedAt),
    head_event_digest: headEventDigest,
    key_status: key.status,
    outcome: state.identityStatus === "REVOKED" ? "IDENTITY_REVOKED" : `KEY_${key.status}`,
    reason_codes: key.compromisedSince === null ? [] : ["COMPROMISE_CLAIMED"],
    status_as_of: statusAsOf,
  }
}

function withoutKey(
  outcome: LifecycleOutcome["outcome"],
  statusAsOf: string | null,
  headEventDigest: string | null,
  reasons: LifecycleOutcome["reason_codes"],
): LifecycleOutcome {
  return {
    anchored_before_change: null,
    claimed_time_relation: null,
    head_event_digest: headEventDigest,
    key_status: null,
    outcome,
    reason_codes: reasons,
    status_as_of: statusAsOf,
  }
}

/** The signer's clock may run behind ours by the allowed skew when its key is new; no skew is allowed to a key that ended. */
function relationOf(key: LifecycleKey, issuedAt: number | null): ClaimedTimeRelation {
  if (issuedAt === null) return "NO_TIME_CLAIM"
  if (key.compromisedSince !== null && issuedAt >= instant(key.compromisedSince)) return "AFTER_COMPROMISE"
  if (key.until !== null && issuedAt >= instant(key.until)) return "AFTER_ROTATION"
  return issuedAt < instant(key.since) - CLOCK_SKEW_MS ? "BEFORE_KEY" : "WITHIN_KEY_VALIDITY"
}

/** A claimed compromise moves the change back: a registration after it may be the thief's. */
function anchored({ until, compromisedSince }: LifecycleKey, registeredAt: string | null | undefined): boolean | null {
  if (until === null && compromisedSince === null) return null
  const changes = [until, compromisedSince].filter((time) => time !== null).map(instant)
  if (registeredAt === undefined) return null
  return registeredAt !== null && instant(registeredAt) < Math.min(...changes)
}

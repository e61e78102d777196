import type { ClaimedTimeRelation, LifecycleOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"
import { formatInstant, instant } from "../../../core/time.ts"
import { CLOCK_SKEW_MS } from "../signature-window.ts"

/** The named key in the current state of the identity. */
export interface LifecycleKey {
  readonly role: "OPERATIONAL" | "RECOVERY"
  readonly status: "ACTIVE" | "ROTATED" | "REVOKED"
  /** RFC 3339. `until` is null while ACTIVE; `compromisedSince` is null unless the owner claimed a compromise. */
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
      /** A later event may be lost, so nothing is known about any key. */
      readonly isUnknown: boolean
      /** Null: the agent never had this key. */
      readonly key: LifecycleKey | null
    }

export interface LifecycleFacts {
  readonly state: IdentityState
  /** The signer's own `issued_at` in milliseconds since the epoch, or null if it is missing or unreadable. */
  readonly issuedAt: number | null
  /** Time when exactly this statement was registered. Null if it was not registered, undefined if there is no statement. */
  readonly registeredAt: string | null | undefined
  readonly at: number
}

/**
 * Evaluates the key in the identity's history, whether or not the signature verifies. `issued_at` is only the signer's claim, and a thief
 * can write any time. Only a registration before the change proves that a signature is older than the change.
 */
export function lifecycleOutcome({ state, issuedAt, registeredAt, at }: LifecycleFacts): LifecycleOutcome {
  const statusAsOf = formatInstant(at)
  if (state.kind === "UNAVAILABLE") return withoutKey("NOT_EVALUATED", null, null, ["STATE_UNAVAILABLE"])
  if (state.kind === "AGENT_NOT_FOUND") return withoutKey("AGENT_NOT_FOUND", statusAsOf, null, [])
  const { key, headEventDigest } = state
  if (state.isUnknown) return withoutKey("NOT_EVALUATED", null, headEventDigest, ["STATE_UNAVAILABLE"])
  if (!key) return withoutKey("KEY_NOT_FOUND", statusAsOf, headEventDigest, [])
  // A recovery key may sign only key events. A statement signed by it counts as signed by no permitted key.
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

/** For a new key, the signer's clock may be behind the service's clock by the allowed skew. A key that has ended gets no skew. */
function relationOf(key: LifecycleKey, issuedAt: number | null): ClaimedTimeRelation {
  if (issuedAt === null) return "NO_TIME_CLAIM"
  if (key.compromisedSince !== null && issuedAt >= instant(key.compromisedSince)) return "AFTER_COMPROMISE"
  if (key.until !== null && issuedAt >= instant(key.until)) return "AFTER_ROTATION"
  return issuedAt < instant(key.since) - CLOCK_SKEW_MS ? "BEFORE_KEY" : "WITHIN_KEY_VALIDITY"
}

/** A claimed compromise moves the change back: a registration after it may come from the thief. */
function anchored({ until, compromisedSince }: LifecycleKey, registeredAt: string | null | undefined): boolean | null {
  if (until === null && compromisedSince === null) return null
  const changes = [until, compromisedSince].filter((time) => time !== null).map(instant)
  if (registeredAt === undefined) return null
  return registeredAt !== null && instant(registeredAt) < Math.min(...changes)
}

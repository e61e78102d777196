/**
 * Builds key events. Pure, so that the agent's machine and the service build an event with the same code. The agent signs only if both
 * results are equal.
 */

import {
  type EnrolmentEvent,
  type EventKey,
  KEY_EVENT_DOMAIN,
  type KeyEvent,
  type KeyEventChange,
} from "../../schemas/agent-id/key-event.ts"
import type { IdentityState } from "./identity-state.ts"
import { keyIdOf, publicJwk } from "./jwk.ts"
import { activeKey, lastOperationalKey } from "./key-change.ts"

/** Rulings 61: the identity challenge lives 600 s, every other signed window at most 300 s. */
export const CHALLENGE_TTL_SECONDS = 600
export const CHALLENGE_ID_BYTES = 24
export const NONCE_BYTES = 32

/** The parts of an event that the service chooses. */
export interface EventParts {
  /** Origin of the service: `scheme://host[:port]`. */
  readonly audience: string
  readonly challengeId: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expiresAt: string
}

interface EnrolmentParts extends EventParts {
  /** RFC 8037 `x` of the two keys. */
  readonly operationalX: string
  readonly recoveryX: string
  readonly nextOperationalKeyDigest: string | null
}

/** The input of the next event: the head of a history and its keys in force. */
export interface HistoryHead {
  readonly agentId: string
  readonly sequence: number
  readonly eventDigest: string
  /** Null after a revocation. */
  readonly operational: EventKey | null
  /** The operational key that a rotation replaces. It need not be active. */
  readonly lastOperationalKeyId: string
  readonly recovery: EventKey
  readonly nextOperationalKeyDigest: string | null
}

export type RevocationReason = Extract<KeyEventChange, { kind: "REVOKE_IDENTITY" }>["reason"]

/** A requested change: the rows of the signature matrix (agent-id.md 5.1) without the enrolment. */
export type ChangeRequest =
  | {
      readonly kind: "ROTATE_OPERATIONAL"
      readonly mode: "ROUTINE" | "RECOVERY"
      readonly newX: string
      readonly nextOperationalKeyDigest: string | null
      readonly compromiseSuspectedSince: string | null
    }
  | { readonly kind: "ROTATE_RECOVERY"; readonly newX: string }
  | {
      readonly kind: "REVOKE_OPERATIONAL"
      readonly mode: "SELF" | "RECOVERY"
      readonly reason: RevocationReason
      readonly compromiseSuspectedSince: string | null
    }
  | { readonly kind: "REVOKE_IDENTITY"; readonly reason: RevocationReason }

export function eventKeyOf(x: string): EventKey {
  return { key_id: keyIdOf(x), public_jwk: publicJwk(x) }
}

export function enrolmentEvent(parts: EnrolmentParts): EnrolmentEvent {
  return {
    ...common(parts),
    purpose: "ENROLLMENT",
    agent_id: null,
    sequence: 0,
    previous_event_digest: null,
    keys: { operational: eventKeyOf(parts.operationalX), recovery: eventKeyOf(parts.recoveryX) },
    next_operational_key_digest: parts.nextOperationalKeyDigest,
    change: { kind: "ENROLL", authorized_by: ["OPERATIONAL", "RECOVERY"] },
  }
}

/** Returns null for a revoked identity: no event can follow. */
export function headOf(state: IdentityState): HistoryHead | null {
  const recovery = activeKey(state, "RECOVERY")
  const last = lastOperationalKey(state)
  if (!recovery || !last) return null
  return {
    agentId: state.agentId,
    sequence: state.sequence,
    eventDigest: state.headEventDigest,
    operational: last.status === "ACTIVE" ? eventKeyOf(last.x) : null,
    lastOperationalKeyId: last.keyId,
    recovery: eventKeyOf(recovery.x),
    nextOperationalKeyDigest: state.nextOperationalKeyDigest,
  }
}

/** Returns the event for a change. `applyKeyEvent` decides whether the change is allowed. */
export function changeEvent(head: HistoryHead, request: ChangeRequest, parts: EventParts): KeyEvent {
  return {
    ...common(parts),
    purpose: request.kind.startsWith("ROTATE") ? "ROTATION" : "REVOCATION",
    agent_id: head.agentId,
    sequence: head.sequence + 1,
    previous_event_digest: head.eventDigest,
    ...resulting(head, request),
  }
}

function resulting(
  head: HistoryHead,
  request: ChangeRequest,
): Pick<KeyEvent, "keys" | "next_operational_key_digest" | "change"> {
  switch (request.kind) {
    case "ROTATE_OPERATIONAL":
      return {
        keys: { operational: eventKeyOf(request.newX), recovery: head.recovery },
        next_operational_key_digest: request.nextOperationalKeyDigest,
        change: {
          kind: request.kind,
          authorized_by: [request.mode === "ROUTINE" ? "OPERATIONAL" : "RECOVERY", "NEW_OPERATIONAL"],
          mode: request.mode,
          replaces_key_id: head.lastOperationalKeyId,
          ...compromise(request.compromiseSuspectedSince),
        },
      }
    case "ROTATE_RECOVERY":
      return {
        keys: { operational: head.operational, recovery: eventKeyOf(request.newX) },
        next_operational_key_digest: head.nextOperationalKeyDigest,
        change: {
          kind: request.kind,
          authorized_by: ["RECOVERY", "NEW_RECOVERY"],
          replaces_key_id: head.recovery.key_id,
        },
      }
    case "REVOKE_OPERATIONAL":
      return {
        keys: { operational: null, recovery: head.recovery },
        next_operational_key_digest: null,
        change: {
          kind: request.kind,
          authorized_by: [request.mode === "SELF" ? "OPERATIONAL" : "RECOVERY"],
          revokes_key_id: head.lastOperationalKeyId,
          reason: request.reason,
          ...compromise(request.compromiseSuspectedSince),
        },
      }
    case "REVOKE_IDENTITY":
      return {
        keys: { operational: null, recovery: null },
        next_operational_key_digest: null,
        change: { kind: request.kind, authorized_by: ["RECOVERY"], reason: request.reason },
      }
  }
}

/** An event and its request have this member only if the owner claims a compromise (rulings 22). */
export function compromise(since: string | null): { compromise_suspected_since?: string } {
  return since === null ? {} : { compromise_suspected_since: since }
}

function common(parts: EventParts) {
  return {
    domain: KEY_EVENT_DOMAIN,
    schema_version: "1.0.0",
    claim: "KEY_CONTROL_ONLY",
    audience: parts.audience,
    challenge_id: parts.challengeId,
    nonce: parts.nonce,
    issued_at: parts.issuedAt,
    expires_at: parts.expiresAt,
  } as const
}

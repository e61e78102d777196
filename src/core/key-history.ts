/**
 * What an accepted key event makes of an identity: the one function behind the service, which plans an event with it, and behind
 * everyone who verifies a history offline. Pure and total, and it computes no hash, so that it runs in a browser as it is.
 *
 * INVARIANT: the caller has checked what needs a hash or a curve: `eventDigest` is the digest of C14N(event), every `key_id` in
 * the event is the thumbprint of its `x`, each `x` passed the key check, and the roles of {@link requiredSignatures} have signed.
 */
import type { EventKey, KeyEvent, KeyEventChange, SigningRole } from "../../schemas/agent-id/key-event.ts"
import { agentIdOf } from "./agent-id.ts"
import { activeKey, changedKeys, enrolledKeys } from "./key-change.ts"
import { parseInstant } from "./time.ts"

export interface KeyState {
  readonly keyId: string
  readonly role: "OPERATIONAL" | "RECOVERY"
  readonly x: string
  readonly status: "ACTIVE" | "ROTATED" | "REVOKED"
  /** RFC 3339 instants of acceptance; `until` is null while the key is ACTIVE. */
  readonly since: string
  readonly until: string | null
  /** From when on the owner says the key may have been another's. Claimed, never proved (rulings 22). */
  readonly compromisedSince: string | null
  readonly successorKeyId: string | null
}

export interface IdentityState {
  readonly agentId: string
  readonly identityStatus: "ACTIVE" | "REVOKED"
  readonly sequence: number
  readonly headEventDigest: string
  readonly headAcceptedAt: string
  /** What the next routine rotation must introduce; null when nothing was committed. */
  readonly nextOperationalKeyDigest: string | null
  readonly lastRoutineRotationAt: string | null
  /** All keys it ever had, oldest first, OPERATIONAL before RECOVERY. */
  readonly keys: readonly KeyState[]
}

export type KeyEventFault =
  | "ENROLMENT_EXPECTED"
  | "ENROLLED_ALREADY"
  | "IDENTITY_REVOKED"
  | "AGENT_ID_MISMATCH"
  | "SEQUENCE_MISMATCH"
  | "PREVIOUS_EVENT_MISMATCH"
  | "PURPOSE_MISMATCH"
  | "AUTHORIZATION_MISMATCH"
  | "ACCEPTED_OUTSIDE_WINDOW"
  | "ACCEPTED_BEFORE_HEAD"
  | "TARGET_NOT_ACTIVE"
  | "TARGET_MISMATCH"
  | "COMMITMENT_MISSING"
  | "COMMITMENT_MISMATCH"
  | "NEXT_COMMITMENT_MISMATCH"
  | "RESULTING_KEYS_MISMATCH"
  | "KEY_REUSED"
  | "COMPROMISE_NEEDS_RECOVERY"
  | "COMPROMISE_OUT_OF_RANGE"

export type KeyEventOutcome = { readonly state: IdentityState } | { readonly fault: KeyEventFault }

const PURPOSE_OF: Readonly<Record<KeyEventChange["kind"], KeyEvent["purpose"]>> = {
  ENROLL: "ENROLLMENT",
  ROTATE_OPERATIONAL: "ROTATION",
  ROTATE_RECOVERY: "ROTATION",
  REVOKE_OPERATIONAL: "REVOCATION",
  REVOKE_IDENTITY: "REVOCATION",
}

/** Whose signatures a change needs, in this order. What `authorized_by` says is believed only where both answers are allowed. */
export function requiredRoles(change: KeyEventChange): readonly SigningRole[] {
  switch (change.kind) {
    case "ENROLL":
      return ["OPERATIONAL", "RECOVERY"]
    case "ROTATE_OPERATIONAL":
      return [change.mode === "ROUTINE" ? "OPERATIONAL" : "RECOVERY", "NEW_OPERATIONAL"]
    case "ROTATE_RECOVERY":
      return ["RECOVERY", "NEW_RECOVERY"]
    case "REVOKE_OPERATIONAL":
      return [change.authorized_by[0] === "OPERATIONAL" ? "OPERATIONAL" : "RECOVERY"]
    case "REVOKE_IDENTITY":
      return ["RECOVERY"]
  }
}

/** The key that answers for each role, or null when the identity has no active key for one of them. */
export function requiredSignatures(
  state: IdentityState | null,
  event: KeyEvent,
): readonly { readonly role: SigningRole; readonly key: EventKey }[] | null {
  const required: { role: SigningRole; key: EventKey }[] = []
  for (const role of requiredRoles(event.change)) {
    const operational = role === "OPERATIONAL" || role === "NEW_OPERATIONAL"
    const introduced = state === null || role.startsWith("NEW_")
    const named = operational ? event.keys.operational : event.keys.recovery
    const key = introduced ? named : eventKey(activeKey(state, operational ? "OPERATIONAL" : "RECOVERY"))
    if (!key) return null
    required.push({ role, key })
  }
  return required
}

function eventKey(key: KeyState | null): EventKey | null {
  return key && { key_id: key.keyId, public_jwk: { kty: "OKP", crv: "Ed25519", x: key.x } }
}

/** The identity after the event, or the first rule the event breaks. `state` is null before the enrolment. */
export function applyKeyEvent(
  state: IdentityState | null,
  event: KeyEvent,
  eventDigest: string,
  acceptedAt: string,
): KeyEventOutcome {
  const fault = chainFault(state, event) ?? formFault(event) ?? timeFault(state, event, acceptedAt)
  if (fault) return { fault }
  const changed = state === null ? enrolledKeys(event, acceptedAt) : changedKeys(state, event, acceptedAt)
  if ("fault" in changed) return changed
  const { change } = event
  const routine = change.kind === "ROTATE_OPERATIONAL" && change.mode === "ROUTINE"
  return {
    state: {
      agentId: state?.agentId ?? agentIdOf(eventDigest),
      identityStatus: change.kind === "REVOKE_IDENTITY" ? "REVOKED" : "ACTIVE",
      sequence: event.sequence,
      headEventDigest: eventDigest,
      headAcceptedAt: acceptedAt,
      nextOperationalKeyDigest: event.next_operational_key_digest,
      lastRoutineRotationAt: routine ? acceptedAt : (state?.lastRoutineRotationAt ?? null),
      keys: changed.keys,
    },
  }
}

/** Is it the next event of this identity? */
function chainFault(state: IdentityState | null, event: KeyEvent): KeyEventFault | null {
  const enrols = event.change.kind === "ENROLL"
  if (state === null && !enrols) return "ENROLMENT_EXPECTED"
  if (state !== null && enrols) return "ENROLLED_ALREADY"
  if (state?.identityStatus === "REVOKED") return "IDENTITY_REVOKED"
  if (event.agent_id !== (state?.agentId ?? null)) return "AGENT_ID_MISMATCH"
  if (event.sequence !== (state ? state.sequence + 1 : 0)) return "SEQUENCE_MISMATCH"
  if (event.previous_event_digest !== (state?.headEventDigest ?? null)) return "PREVIOUS_EVENT_MISMATCH"
  return null
}

/** Does the event agree with itself? */
function formFault({ purpose, change }: KeyEvent): KeyEventFault | null {
  if (purpose !== PURPOSE_OF[change.kind]) return "PURPOSE_MISMATCH"
  const roles = requiredRoles(change)
  const { authorized_by: said } = change
  const exact = said.length === roles.length && roles.every((role, index) => role === said[index])
  return exact ? null : "AUTHORIZATION_MISMATCH"
}

/** Accepted while its challenge lived, and not before the event it follows. */
function timeFault(state: IdentityState | null, event: KeyEvent, acceptedAt: string): KeyEventFault | null {
  const [from, at, to] = [event.issued_at, acceptedAt, event.expires_at].map(parseInstant)
  if (from == null || at == null || to == null || at < from || at >= to) return "ACCEPTED_OUTSIDE_WINDOW"
  return state && at < (parseInstant(state.headAcceptedAt) ?? 0) ? "ACCEPTED_BEFORE_HEAD" : null
}

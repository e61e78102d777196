/**
 * Computes the identity that results from an accepted key event. The service plans events with this function, and every offline verifier
 * uses the same one. It is pure and total and computes no hash, so it runs unchanged in a browser.
 *
 * INVARIANT: the caller has done every check that needs a hash or a curve: `eventDigest` is the digest of C14N(event), every `key_id` in
 * the event is the thumbprint of its `x`, each `x` passed the key check, and the roles of {@link requiredSignatures} have signed.
 */

import type { EventKey, KeyEvent, KeyEventChange, SigningRole } from "../../schemas/agent-id/key-event.ts"
import { agentIdOf } from "./agent-id.ts"
import type { IdentityState, KeyEventFault, KeyState } from "./identity-state.ts"
import { activeKey, changedKeys, enrolledKeys } from "./key-change.ts"
import { parseInstant } from "./time.ts"

export type KeyEventOutcome = { readonly state: IdentityState } | { readonly fault: KeyEventFault }

const PURPOSE_OF: Readonly<Record<KeyEventChange["kind"], KeyEvent["purpose"]>> = {
  ENROLL: "ENROLLMENT",
  ROTATE_OPERATIONAL: "ROTATION",
  ROTATE_RECOVERY: "ROTATION",
  REVOKE_OPERATIONAL: "REVOCATION",
  REVOKE_IDENTITY: "REVOCATION",
}

/** Returns the roles that must sign a change, in this order. `authorized_by` of the event decides only where both roles are allowed. */
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

/** Returns the key that signs for each role, or null if the identity has no active key for one of them. */
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

/** Returns the identity after the event, or the first rule that the event breaks. `state` is null before the enrolment. */
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

/** Checks that this is the next event of this identity. */
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

/** Checks that the members of the event agree with each other. */
function formFault({ purpose, change }: KeyEvent): KeyEventFault | null {
  if (purpose !== PURPOSE_OF[change.kind]) return "PURPOSE_MISMATCH"
  const roles = requiredRoles(change)
  const { authorized_by: said } = change
  const exact = said.length === roles.length && roles.every((role, index) => role === said[index])
  return exact ? null : "AUTHORIZATION_MISMATCH"
}

/** The event must be accepted within the lifetime of its challenge, and not before the event that it follows. */
function timeFault(state: IdentityState | null, event: KeyEvent, acceptedAt: string): KeyEventFault | null {
  const [from, at, to] = [event.issued_at, acceptedAt, event.expires_at].map(parseInstant)
  if (from == null || at == null || to == null || at < from || at >= to) return "ACCEPTED_OUTSIDE_WINDOW"
  return state && at < (parseInstant(state.headAcceptedAt) ?? 0) ? "ACCEPTED_BEFORE_HEAD" : null
}

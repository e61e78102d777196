/** Applies each kind of change to the keys of an identity (agent-id.md 5.1): one function per row of the signature matrix. */

import type { EventKey, KeyEvent, KeyEventChange } from "../../schemas/agent-id/key-event.ts"
import { commitmentTo } from "./agent-id.ts"
import type { IdentityState, KeyEventFault, KeyState } from "./identity-state.ts"
import { keyOwner } from "./key-owner.ts"
import { formatInstant, parseInstant } from "./time.ts"

type KeyChange = { readonly keys: readonly KeyState[] } | { readonly fault: KeyEventFault }
type ChangeOf<Kind extends KeyEventChange["kind"]> = Extract<KeyEventChange, { kind: Kind }>

/** Both keys of an enrolment must be present and independent. */
export function enrolledKeys({ keys }: KeyEvent, acceptedAt: string): KeyChange {
  const { operational, recovery } = keys
  if (!operational || !recovery) return { fault: "RESULTING_KEYS_MISMATCH" }
  if (keyOwner(operational.public_jwk.x) === keyOwner(recovery.public_jwk.x)) return { fault: "KEY_REUSED" }
  return { keys: [newKey("OPERATIONAL", operational, acceptedAt), newKey("RECOVERY", recovery, acceptedAt)] }
}

export function changedKeys(state: IdentityState, event: KeyEvent, acceptedAt: string): KeyChange {
  const { change } = event
  switch (change.kind) {
    case "ENROLL":
      return { fault: "ENROLLED_ALREADY" }
    case "ROTATE_OPERATIONAL":
      return rotateOperational(state, event, change, acceptedAt)
    case "ROTATE_RECOVERY":
      return rotateRecovery(state, event, change, acceptedAt)
    case "REVOKE_OPERATIONAL":
      return revokeOperational(state, event, change, acceptedAt)
    case "REVOKE_IDENTITY":
      return revokeIdentity(state, event, acceptedAt)
  }
}

/**
 * A routine rotation may introduce only the key that the previous event committed to. A thief of the operational key alone therefore cannot
 * move the identity to another key. The recovery key may name any new key, even after the operational key was revoked.
 */
function rotateOperational(
  state: IdentityState,
  event: KeyEvent,
  change: ChangeOf<"ROTATE_OPERATIONAL">,
  acceptedAt: string,
): KeyChange {
  const old = lastOperationalKey(state)
  const introduced = event.keys.operational
  if (!old || (change.mode === "ROUTINE" && old.status !== "ACTIVE")) return { fault: "TARGET_NOT_ACTIVE" }
  if (change.replaces_key_id !== old.keyId) return { fault: "TARGET_MISMATCH" }
  if (change.mode === "ROUTINE" && change.compromise_suspected_since !== undefined) {
    return { fault: "COMPROMISE_NEEDS_RECOVERY" }
  }
  if (!introduced || !same(event.keys.recovery, activeKey(state, "RECOVERY"))) {
    return { fault: "RESULTING_KEYS_MISMATCH" }
  }
  if (change.mode === "ROUTINE") {
    if (state.nextOperationalKeyDigest === null) return { fault: "COMMITMENT_MISSING" }
    if (commitmentTo(introduced.key_id) !== state.nextOperationalKeyDigest) return { fault: "COMMITMENT_MISMATCH" }
  }
  const claim = compromiseClaim(change.compromise_suspected_since, old, acceptedAt)
  if (claim && "fault" in claim) return claim
  if (wasUsed(state, introduced)) return { fault: "KEY_REUSED" }
  const ended = ends(state, old, { status: claim ? "REVOKED" : "ROTATED", claim, at: acceptedAt })
  return { keys: withNewKey(ended, old, newKey("OPERATIONAL", introduced, acceptedAt)) }
}

/** The commitment belongs to the operational key and does not change. */
function rotateRecovery(
  state: IdentityState,
  event: KeyEvent,
  change: ChangeOf<"ROTATE_RECOVERY">,
  acceptedAt: string,
): KeyChange {
  const old = activeKey(state, "RECOVERY")
  const introduced = event.keys.recovery
  if (!old) return { fault: "TARGET_NOT_ACTIVE" }
  if (change.replaces_key_id !== old.keyId) return { fault: "TARGET_MISMATCH" }
  if (event.next_operational_key_digest !== state.nextOperationalKeyDigest) return { fault: "NEXT_COMMITMENT_MISMATCH" }
  if (!introduced || !same(event.keys.operational, activeKey(state, "OPERATIONAL"))) {
    return { fault: "RESULTING_KEYS_MISMATCH" }
  }
  if (wasUsed(state, introduced)) return { fault: "KEY_REUSED" }
  const ended = ends(state, old, { status: "ROTATED", claim: null, at: acceptedAt })
  return { keys: withNewKey(ended, old, newKey("RECOVERY", introduced, acceptedAt)) }
}

function revokeOperational(
  state: IdentityState,
  event: KeyEvent,
  change: ChangeOf<"REVOKE_OPERATIONAL">,
  acceptedAt: string,
): KeyChange {
  const old = activeKey(state, "OPERATIONAL")
  if (!old) return { fault: "TARGET_NOT_ACTIVE" }
  if (change.revokes_key_id !== old.keyId) return { fault: "TARGET_MISMATCH" }
  if (change.authorized_by[0] === "OPERATIONAL" && change.compromise_suspected_since !== undefined) {
    return { fault: "COMPROMISE_NEEDS_RECOVERY" }
  }
  if (event.next_operational_key_digest !== null) return { fault: "NEXT_COMMITMENT_MISMATCH" }
  if (event.keys.operational || !same(event.keys.recovery, activeKey(state, "RECOVERY"))) {
    return { fault: "RESULTING_KEYS_MISMATCH" }
  }
  const claim = compromiseClaim(change.compromise_suspected_since, old, acceptedAt)
  if (claim && "fault" in claim) return claim
  return { keys: ends(state, old, { status: "REVOKED", claim, at: acceptedAt }) }
}

/** Revocation is final. It sets every key to REVOKED; `until` of an earlier key keeps the time when its use ended. */
function revokeIdentity(state: IdentityState, event: KeyEvent, acceptedAt: string): KeyChange {
  if (event.next_operational_key_digest !== null) return { fault: "NEXT_COMMITMENT_MISMATCH" }
  if (event.keys.operational || event.keys.recovery) return { fault: "RESULTING_KEYS_MISMATCH" }
  return { keys: state.keys.map((key) => ({ ...key, status: "REVOKED", until: key.until ?? acceptedAt })) }
}

/** Returns the active key of a role. There is at most one. */
export function activeKey(state: IdentityState, role: KeyState["role"]): KeyState | null {
  return state.keys.find((key) => key.role === role && key.status === "ACTIVE") ?? null
}

/** Returns the operational key without a successor: the active key, or a revoked key that was not replaced. */
export function lastOperationalKey(state: IdentityState): KeyState | null {
  return state.keys.find((key) => key.role === "OPERATIONAL" && key.successorKeyId === null) ?? null
}

type CompromiseClaim = { readonly at: number } | { readonly fault: KeyEventFault } | null

/**
 * The claimed time must lie between the introduction of the key and now. Nobody can disown signatures of an earlier key or future
 * signatures (rulings 22).
 */
function compromiseClaim(claimed: string | undefined, key: KeyState, acceptedAt: string): CompromiseClaim {
  if (claimed === undefined) return null
  const at = parseInstant(claimed)
  const [from, to] = [parseInstant(key.since), parseInstant(acceptedAt)]
  if (at === null || from === null || to === null || at < from || at > to) return { fault: "COMPROMISE_OUT_OF_RANGE" }
  return { at }
}

/** How the use of a key ends. */
interface KeyEnd {
  readonly status: "ROTATED" | "REVOKED"
  /** A claimed compromise. */
  readonly claim: { readonly at: number } | null
  /** RFC 3339. */
  readonly at: string
}

/** Returns all keys with the old key ended. A claimed compromise also marks every operational key introduced at or after it. */
function ends({ keys }: IdentityState, old: KeyState, { status, claim, at }: KeyEnd): KeyState[] {
  return keys.map((key) => {
    const until = key.until ?? at
    if (claim && (key === old || (key.role === "OPERATIONAL" && (parseInstant(key.since) ?? 0) >= claim.at))) {
      const compromisedSince = earliest(key.compromisedSince, formatInstant(claim.at))
      return { ...key, status: "REVOKED", until, compromisedSince }
    }
    if (key !== old) return key
    return { ...key, status: key.status === "REVOKED" ? "REVOKED" : status, until }
  })
}

function earliest(known: string | null, claimed: string): string {
  return known !== null && known < claimed ? known : claimed
}

function withNewKey(keys: readonly KeyState[], old: KeyState, introduced: KeyState): KeyState[] {
  const linked = keys.map((key) => (key.keyId === old.keyId ? { ...key, successorKeyId: introduced.keyId } : key))
  return [...linked, introduced].sort(byAge)
}

/** The same order as the database query, also for keys with one timestamp. */
function byAge(a: KeyState, b: KeyState): number {
  return compare(a.since, b.since) || compare(a.role, b.role) || compare(a.keyId, b.keyId)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function newKey(role: KeyState["role"], { key_id, public_jwk }: EventKey, since: string): KeyState {
  const unended = { status: "ACTIVE", since, until: null, compromisedSince: null, successorKeyId: null } as const
  return { keyId: key_id, role, x: public_jwk.x, ...unended }
}

function same(said: EventKey | null, is: KeyState | null): boolean {
  return said === null || is === null ? said === is : said.key_id === is.keyId && said.public_jwk.x === is.x
}

/** A key or its negation must never return, in either role. Otherwise a revoked key could sign again. */
function wasUsed({ keys }: IdentityState, introduced: EventKey): boolean {
  const owner = keyOwner(introduced.public_jwk.x)
  return keys.some((key) => keyOwner(key.x) === owner)
}

/** Replays a key history: applies its events in order with the same rules by which the service accepts them. */

import type { LoggedEvent } from "../../../../schemas/agent-id/export.ts"
import type { KeyEvent } from "../../../../schemas/agent-id/key-event.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import type { IdentityState, KeyState } from "../../../core/identity-state.ts"
import { applyKeyEvent, requiredSignatures } from "../../../core/key-history.ts"
import { instant } from "../../../core/time.ts"
import { checkKey, verifySignature } from "../../portable/crypto.ts"
import { digestText, hashOfText, keyIdOf } from "../../portable/encoding.ts"
import { Fault, must } from "../fault.ts"

export interface HistoryEvent extends LoggedEvent {
  /** SHA-256 of C14N(event), as bytes and as a digest. */
  readonly hash: Uint8Array
  readonly digest: string
  /** The identity after the event. */
  readonly state: IdentityState
}

export interface History {
  readonly agentId: string
  readonly events: readonly HistoryEvent[]
  readonly state: IdentityState
}

/**
 * Throws {@link Fault} at the first event that breaks a rule. Times are those in the receipts. Separate steps check who signed the
 * receipts, and that the log contains the events.
 */
export async function readHistory(agentId: string, logged: readonly LoggedEvent[]): Promise<History> {
  let state: IdentityState | null = null
  const events: HistoryEvent[] = []
  for (const entry of logged) {
    const { event, receipt } = entry
    const text = canonicalize(event)
    const hash = hashOfText(text)
    const digest = digestText(hash)
    const at = `event ${events.length} of ${agentId}`
    requireKeys(event, at)
    const outcome = applyKeyEvent(state, event, digest, receipt.payload.accepted_at)
    if ("fault" in outcome) throw new Fault(outcome.fault, `${at} breaks the rules of key events.`)
    await requireSignatures(state, entry, text, at)
    state = outcome.state
    events.push({ ...entry, hash, digest, state })
  }
  if (state === null) throw new Fault("HISTORY_EMPTY", `${agentId} has no event.`)
  must(state.agentId === agentId, "AGENT_ID_NOT_OF_HISTORY", `The first event does not make the id ${agentId}.`)
  return { agentId, events, state }
}

/** If an id were not the thumbprint of its key, one key could appear under the name of another. */
function requireKeys({ keys }: KeyEvent, at: string): void {
  for (const key of [keys.operational, keys.recovery]) {
    if (key === null) continue
    const { x } = key.public_jwk
    const fault = checkKey(x)
    if (fault !== null) throw new Fault(fault, `A key of ${at} fails SVC-ED25519-STRICT-1.`)
    must(key.key_id === keyIdOf(x), "KEY_ID_MISMATCH", `A key of ${at} is not the one its id names.`)
  }
}

/** Requires exactly the signatures that the change needs, each by the key of its role. */
async function requireSignatures(state: IdentityState | null, entry: LoggedEvent, text: string, at: string) {
  const required = requiredSignatures(state, entry.event)
  must(required !== null, "SIGNING_KEY_MISSING", `No active key could have signed ${at}.`)
  must(
    entry.signatures.length === required.length,
    "SIGNATURE_ROLES_DIFFER",
    `${at} carries other signatures than its kind asks for.`,
  )
  for (const { role, key } of required) {
    const signature = entry.signatures.find((candidate) => candidate.role === role)
    must(signature?.key_id === key.key_id, "SIGNATURE_ROLES_DIFFER", `${at} lacks the ${role} signature.`)
    const genuine = await verifySignature(key.public_jwk.x, text, signature.value)
    must(genuine, "EVENT_SIGNATURE_INVALID", `The ${role} signature of ${at} does not verify.`)
  }
}

/** After a rotation by one process, another process may sign with the old key until it learns of the rotation. */
export const HAND_OVER_MS = 30_000

/**
 * Returns the operational key of an identity if it could sign at some instant from `from` to `to` and its owner does not disown that.
 * Throws {@link Fault} otherwise.
 */
export function keyInUse(histories: readonly History[], keyId: string, from: number, to: number): KeyState {
  const key = histories.flatMap(({ state }) => state.keys).find((one) => one.keyId === keyId)
  must(
    key?.role === "OPERATIONAL",
    "SIGNING_KEY_UNKNOWN",
    "Signed with a key that is in none of the service's histories.",
  )
  must(instant(key.since) <= to, "SIGNING_KEY_NOT_YET_VALID", "Signed before the key was introduced.")
  const tolerance = key.status === "ROTATED" ? HAND_OVER_MS : 0
  const ended = key.until !== null && instant(key.until) + tolerance < from
  must(!ended, "SIGNING_KEY_NO_LONGER_VALID", "Signed after the key was rotated or revoked.")
  return key
}

export function isCompromisedAt({ compromisedSince }: KeyState, at: number): boolean {
  return compromisedSince !== null && instant(compromisedSince) <= at
}

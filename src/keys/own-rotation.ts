/** Rotation and recovery of the service's own keys: one commit writes the event and the resulting key rows. */

import { existsSync, rmSync } from "node:fs"
import { keyIdCommittedBy } from "../core/agent-id.ts"
import type { IdentityState, KeyEventFault } from "../core/identity-state.ts"
import { activeKey } from "../core/key-change.ts"
import { ownAudience } from "../core/own-audience.ts"
import { instant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { findIdentity } from "../store/identity/agent-identity.ts"
import { type KeyOfUse, keysOfUses, replaceServiceKey } from "../store/identity/service-identities.ts"
import type { KeyUse, ServiceKey } from "../store/identity/service-keys.ts"
import { drawKey, signingKeyRow } from "./issue-key.ts"
import { type HeldKey, keyFilePath, readPrivateKey } from "./key-file.ts"
import { nextKeys, recoveryKeys, takeIntoUse } from "./key-places.ts"
import { ownRotation, withReceipt } from "./own-event.ts"
import { activeKeyOf, enrolOwnIdentities, type OwnDeps } from "./own-identity.ts"

/** What authorizes the replacement: the key committed to in the last event, or the recovery key. */
export type Authority =
  | { readonly mode: "ROUTINE" }
  | {
      readonly mode: "RECOVERY"
      readonly recoveryKey: HeldKey
      /** Set when the key is revoked. `since`: RFC 3339, from when on another party may have had it. */
      readonly revokes: { readonly keyId: string; readonly since: string } | null
    }

export type RotationOutcome =
  | { readonly kind: "REPLACED"; readonly before: ServiceKey; readonly active: ServiceKey; readonly nextKeyId: string }
  | { readonly kind: "NEXT_KEY_MISSING"; readonly path: string }
  | { readonly kind: "OTHER_RECOVERY_KEY"; readonly expected: string }
  | { readonly kind: "REFUSED"; readonly fault: KeyEventFault }
  | { readonly kind: "CHANGED_MEANWHILE" }

/**
 * Replaces the key that signs for a use. The new key's file is durable before the commit: that of a committed key since the previous event,
 * that of any other since this call. The file of the key that this event commits to is durable too. CHOICE: the ten minutes between routine
 * rotations (rulings 22) apply to agents over HTTP. The operator may rotate at any time, because only a holder of the keys can run this
 * command.
 */
export async function replaceOwnKey(deps: OwnDeps, use: KeyUse, authority: Authority): Promise<RotationOutcome> {
  await enrolOwnIdentities(deps)
  const found = await deps.store.read(() => readOwnIdentity(use))
  const refused = refusalOf(deps, found, authority)
  if (refused) return refused
  const { known, before, state } = found
  const next = nextKeys(deps.keysDirectory)
  const promise = drawKey(next, deps.machine)
  const routine = authority.mode === "ROUTINE"
  const introduced = routine ? readPrivateKey(promisedPath(next, state)) : drawKey(next, deps.machine)
  const drawn = routine ? [promise] : [promise, introduced]

  const rotation = { ...signedBy(deps, found, use, authority), introduced, nextKeyId: promise.keyId }
  const outcome = ownRotation(state, rotation, ownAudience(deps.issuerId, use), deps.machine)
  if ("fault" in outcome) return undone(next, drawn, { kind: "REFUSED", fault: outcome.fault })
  const { event } = outcome
  // The statement key after the event signs its receipt. A receipt by a key that is being revoked would be worthless.
  const { keyId, privateKey } = use === "statement" ? introduced : activeKeyOf(deps, known, "statement")
  const active = signingKeyRow(introduced, use, instant(event.after.headAcceptedAt))
  const replaced = await deps.store.run(() =>
    replaceServiceKey({
      before: before.keyId,
      active,
      revokedSince: routine ? null : (authority.revokes?.since ?? null),
      event: withReceipt(event, { issuer: deps.issuerId, keyId, privateKey }),
    }),
  )
  if (!replaced) return undone(next, drawn, { kind: "CHANGED_MEANWHILE" })
  takeIntoUse(deps.keysDirectory, active.keyId)
  return { kind: "REPLACED", before, active, nextKeyId: promise.keyId }
}

/** Refusals that need no new key. */
function refusalOf(
  { keysDirectory }: OwnDeps,
  { before, state }: OwnIdentity,
  authority: Authority,
): RotationOutcome | null {
  if (authority.mode === "ROUTINE") {
    const path = promisedPath(nextKeys(keysDirectory), state)
    return existsSync(path) ? null : { kind: "NEXT_KEY_MISSING", path }
  }
  const expected = activeKey(state, "RECOVERY")?.keyId ?? ""
  if (authority.recoveryKey.keyId !== expected) return { kind: "OTHER_RECOVERY_KEY", expected }
  const { revokes } = authority
  return revokes && revokes.keyId !== before.keyId ? { kind: "CHANGED_MEANWHILE" } : null
}

/** Path of a use's recovery key until it is taken offline. */
export async function keptRecoveryKey(deps: OwnDeps, use: KeyUse): Promise<string> {
  await enrolOwnIdentities(deps)
  const { state } = await deps.store.read(() => readOwnIdentity(use))
  return keyFilePath(recoveryKeys(deps.keysDirectory), activeKey(state, "RECOVERY")?.keyId ?? "")
}

interface OwnIdentity {
  readonly known: readonly KeyOfUse[]
  /** The key that signs now, and the identity whose operational key it is. */
  readonly before: ServiceKey
  readonly state: IdentityState
}

function* readOwnIdentity(use: KeyUse): Unit<OwnIdentity> {
  const known = yield* keysOfUses()
  const of = known.find((one) => one.use === use)
  const state = of?.agentId ? yield* findIdentity(of.agentId) : null
  if (!of?.active || !state) throw new Error(`the ${use} key has no identity`)
  return { known, before: of.active, state }
}

/** Path of the key that the last event committed to. */
function promisedPath(directory: string, { nextOperationalKeyDigest: digest }: IdentityState): string {
  if (digest === null) throw new Error("our own identities always promise their next key")
  return keyFilePath(directory, keyIdCommittedBy(digest))
}

function signedBy(deps: OwnDeps, { known, state }: OwnIdentity, use: KeyUse, authority: Authority) {
  if (authority.mode === "ROUTINE") {
    return { mode: "ROUTINE", authority: activeKeyOf(deps, known, use), compromisedSince: null } as const
  }
  // An older data directory's key is older than its identity, but an event cannot state a time before the enrolment.
  const enrolledSince = activeKey(state, "OPERATIONAL")?.since ?? ""
  const since = authority.revokes?.since ?? null
  const compromisedSince = since !== null && since < enrolledSince ? enrolledSince : since
  return { mode: "RECOVERY", authority: authority.recoveryKey, compromisedSince } as const
}

/** Deletes the new keys. Nobody has seen them, because the event that names them was not accepted. */
function undone(directory: string, drawn: readonly HeldKey[], outcome: RotationOutcome): RotationOutcome {
  for (const { keyId } of drawn) rmSync(keyFilePath(directory, keyId))
  return outcome
}

/**
 * The service's own identities. The key of each use is the operational key of an Agent ID, in the same history and log as all others. So a
 * verifier needs no other rules for the service than for an agent.
 */
import { rmSync } from "node:fs"
import { ConfigError } from "../base/config.ts"
import type { Machine } from "../base/machine.ts"
import { ownAudience } from "../core/own-audience.ts"
import { instant } from "../core/time.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
import { findIdentity, type Identity } from "../store/identity/agent-identity.ts"
import {
  enrolledAudience,
  enrolServiceIdentities,
  type KeyOfUse,
  keysOfUses,
  serviceIdentities,
} from "../store/identity/service-identities.ts"
import { type KeyUse, listAllServiceKeys, type ServiceKey } from "../store/identity/service-keys.ts"
import { drawKey, signingKeyRow } from "./issue-key.ts"
import { type HeldKey, keyFilePath, readKeyFile } from "./key-file.ts"
import { nextKeys, placeOfSigningKey, recoveryKeys, takeIntoUse } from "./key-places.ts"
import { ownEnrolment, withReceipt } from "./own-event.ts"
import type { KnownKeys } from "./require-key-files.ts"

export interface OwnDeps {
  readonly store: Store
  readonly keysDirectory: string
  /** The configured `issuer_id`. */
  readonly issuerId: string
  readonly machine: Machine
}

export interface EnrolledUse {
  readonly use: KeyUse
  readonly agentId: string
  /** The key that signs for the use: that of an older data directory, or a new one. */
  readonly key: ServiceKey
  readonly recoveryKeyId: string
}

/**
 * Gives each use that lacks one a key and an identity, in one commit with `also`. Files are written first: a crash before the commit leaves
 * unnamed files; a crash after it leaves only the move of the new keys, which the next start completes. Returns what was enrolled. Throws
 * {@link ConfigError} when `issuerId` is not the issuer that the identities were enrolled for.
 */
export async function enrolOwnIdentities(deps: OwnDeps, also: () => Unit<void> = nothing): Promise<EnrolledUse[]> {
  const known = await deps.store.read(keysOfUses)
  const fault = await issuerFault(deps)
  if (fault !== null) throw new ConfigError(fault)
  const prepared = known.filter(({ agentId }) => agentId === null).map((of) => prepare(deps, of))
  if (prepared.length === 0) return []
  const statement =
    prepared.find(({ use }) => use === "statement")?.operational ?? activeKeyOf(deps, known, "statement")
  const signer = { issuer: deps.issuerId, keyId: statement.keyId, privateKey: statement.privateKey }
  const enrolments = prepared.map((one) => ({ ...one, event: withReceipt(one.event, signer) }))
  const enrolled = await deps.store.run(function* () {
    if (!(yield* enrolServiceIdentities(enrolments))) return false
    yield* also()
    return true
  })
  if (!enrolled) {
    // Another process that started on this directory was first. Nobody has seen these keys.
    for (const { drawn } of prepared) for (const path of drawn) rmSync(path)
    return []
  }
  for (const { key } of prepared) takeIntoUse(deps.keysDirectory, key.keyId)
  return prepared.map(({ use, key, recoveryKeyId, event }) => ({
    use,
    key,
    recoveryKeyId,
    agentId: event.after.agentId,
  }))
}

/**
 * A history names one issuer from its first event. One logged event under another name would make every bundle of this service invalid for
 * good. Null when the issuer is the one of the enrolments.
 */
export async function issuerFault({ store, issuerId }: Pick<OwnDeps, "store" | "issuerId">): Promise<string | null> {
  for (const { use, agentId } of await store.read(keysOfUses)) {
    const audience = agentId === null ? null : await store.read(() => enrolledAudience(agentId))
    if (audience === null || audience === ownAudience(issuerId, use)) continue
    return `issuer_id is ${issuerId}, but the ${use} identity of this data directory was enrolled for ${audience}: set issuer_id as it was then`
  }
  return null
}

function* nothing(): Unit<void> {}

function prepare({ keysDirectory, issuerId, machine }: OwnDeps, { use, active }: KeyOfUse) {
  const operational = active ? held(keysDirectory, active) : drawKey(nextKeys(keysDirectory), machine)
  const next = drawKey(nextKeys(keysDirectory), machine)
  const recovery = drawKey(recoveryKeys(keysDirectory), machine)
  const outcome = ownEnrolment({ operational, recovery, nextKeyId: next.keyId }, ownAudience(issuerId, use), machine)
  if ("fault" in outcome) throw new Error(`the service's own enrolment breaks a rule: ${outcome.fault}`)
  const drawn = [
    keyFilePath(nextKeys(keysDirectory), next.keyId),
    keyFilePath(recoveryKeys(keysDirectory), recovery.keyId),
    ...(active ? [] : [keyFilePath(nextKeys(keysDirectory), operational.keyId)]),
  ]
  return {
    use,
    operational,
    recoveryKeyId: recovery.keyId,
    key: active ?? signingKeyRow(operational, use, instant(outcome.event.after.headAcceptedAt)),
    isNew: active === null,
    event: outcome.event,
    drawn,
  }
}

/** The private half of the key that signs for a use now. */
export function activeKeyOf({ keysDirectory }: OwnDeps, known: readonly KeyOfUse[], use: KeyUse): HeldKey {
  const active = known.find((of) => of.use === use)?.active
  if (!active) throw new Error(`the database has no ACTIVE ${use} key`)
  return held(keysDirectory, active)
}

function held(keysDirectory: string, { keyId }: ServiceKey): HeldKey {
  return readKeyFile(placeOfSigningKey(keysDirectory, keyId), keyId)
}

/** The records with which the key files of a data directory are compared. */
export function* knownKeys(): Unit<KnownKeys> {
  const states: Identity[] = []
  for (const { agentId } of yield* serviceIdentities()) {
    const state = yield* findIdentity(agentId)
    if (state) states.push(state)
  }
  return {
    signing: yield* listAllServiceKeys(),
    nextDigests: states.flatMap(({ nextOperationalKeyDigest: digest }) => (digest === null ? [] : [digest])),
    recoveryKeyIds: states.flatMap(({ keys }) =>
      keys.filter(({ role }) => role === "RECOVERY").map(({ keyId }) => keyId),
    ),
  }
}

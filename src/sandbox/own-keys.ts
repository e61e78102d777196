/** The keys of the sandbox's own service: one for each use, enrolled as the keys of any service are, with synthetic halves. */

import type { Machine } from "../base/machine.ts"
import { ownAudience } from "../core/own-audience.ts"
import { instant } from "../core/time.ts"
import { signingKeyRow } from "../keys/issue-key.ts"
import type { HeldKey } from "../keys/key-file.ts"
import { KeyRing } from "../keys/key-ring.ts"
import { ownEnrolment, withReceipt } from "../keys/own-event.ts"
import type { Store } from "../store/engine/unit.ts"
import { enrolServiceIdentities } from "../store/identity/service-identities.ts"
import { KEY_USES } from "../store/identity/service-keys.ts"
import { syntheticKey } from "./synthetic-keys.ts"

export const SANDBOX_ISSUER = "svc:sandbox"

/** Enrols the keys in an empty store. */
export async function openOwnKeys(store: Store, seed: number, machine: Machine): Promise<KeyRing> {
  const held = new Map<string, HeldKey>()
  const prepared = KEY_USES.map((use) => {
    const key = (kind: string) => syntheticKey(seed, `SERVICE_${use.toUpperCase()}_${kind}`)
    const [operational, recovery, next] = [key("OPERATIONAL"), key("RECOVERY"), key("NEXT")]
    held.set(operational.keyId, operational)
    const audience = ownAudience(SANDBOX_ISSUER, use)
    const outcome = ownEnrolment({ operational, recovery, nextKeyId: next.keyId }, audience, machine)
    if ("fault" in outcome) throw new Error(`a synthetic enrolment breaks a rule: ${outcome.fault}`)
    const { event } = outcome
    return { use, operational, event, key: signingKeyRow(operational, use, instant(event.after.headAcceptedAt)) }
  })
  const statement = prepared.find(({ use }) => use === "statement")?.operational
  if (!statement) throw new Error("no key signs statements")
  const signer = { issuer: SANDBOX_ISSUER, keyId: statement.keyId, privateKey: statement.privateKey }
  const enrolments = prepared.map(({ use, key, event }) => ({
    use,
    key,
    isNew: true,
    event: withReceipt(event, signer),
  }))
  if (!(await store.run(() => enrolServiceIdentities(enrolments))))
    throw new Error("the store of a sandbox is not empty")
  const heldKey = (keyId: string): HeldKey => {
    const key = held.get(keyId)
    if (!key) throw new Error(`no synthetic key has the id ${keyId}`)
    return key
  }
  return KeyRing.open({ store, heldKey, issuer: SANDBOX_ISSUER, machine, othersVersion: () => 0 })
}

import { rmSync } from "node:fs"
import type { Machine } from "../machine.ts"
import { activateFirstKey, KEY_USES, listServiceKeys, type ServiceKey } from "../store/service-keys.ts"
import type { Store } from "../store/unit.ts"
import { issueKey } from "./issue-key.ts"
import { keyFilePath } from "./key-file.ts"
import { nextKeys, takeIntoUse } from "./key-places.ts"

/** Gives a data directory made by an earlier release the keys of the uses it does not have. Returns those it made. */
export async function issueMissingKeys(store: Store, keysDirectory: string, machine: Machine): Promise<ServiceKey[]> {
  const made: ServiceKey[] = []
  for (const use of KEY_USES) {
    if ((await store.read(() => listServiceKeys(use))).length > 0) continue
    const key = issueKey(keysDirectory, use, machine)
    if (await store.run(() => activateFirstKey(key))) {
      takeIntoUse(keysDirectory, key.keyId)
      made.push(key)
    } else {
      // Another process that starts on this directory was first. Nobody has seen this key.
      rmSync(keyFilePath(nextKeys(keysDirectory), key.keyId))
    }
  }
  return made
}

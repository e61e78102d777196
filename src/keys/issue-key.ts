import { DAY, formatInstant } from "../core/time.ts"
import type { Machine } from "../machine.ts"
import type { KeyUse, ServiceKey } from "../store/service-keys.ts"
import { writeKeyFile } from "./key-file.ts"
import { makeKeyPlace, nextKeys } from "./key-places.ts"

/** CHOICE: a key signs for at most 400 days, so that a yearly rotation has five weeks of slack. What it signed verifies on. */
export const KEY_VALID_DAYS = 400

/**
 * Draws a key and writes its private file. The row to store is returned: file first, row second, so that a row never names a key
 * nobody holds. A crash between the two leaves a file in `keys/next/` that no row names, which the next start reports.
 */
export function issueKey(keysDirectory: string, use: KeyUse, machine: Machine): ServiceKey {
  const { keyId, x } = writeKeyFile(makeKeyPlace(nextKeys(keysDirectory)), machine.random(32))
  const now = machine.now()
  return {
    keyId,
    use,
    x,
    status: "ACTIVE",
    createdAt: formatInstant(now),
    notBefore: formatInstant(now),
    expiresAt: formatInstant(now + KEY_VALID_DAYS * DAY),
    revokedSince: null,
  }
}

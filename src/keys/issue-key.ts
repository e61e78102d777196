import type { Machine } from "../base/machine.ts"
import { DAY, formatInstant } from "../core/time.ts"
import type { KeyUse, ServiceKey } from "../store/identity/service-keys.ts"
import { type HeldKey, writeKeyFile } from "./key-file.ts"
import { makeKeyPlace } from "./key-places.ts"

/** CHOICE: a key signs for at most 400 days, so that a yearly rotation has five weeks of slack. Its signatures stay verifiable. */
export const KEY_VALID_DAYS = 400

/**
 * Generates a key and writes its private file. INVARIANT: the file comes first, the row or event second, so that neither names a key
 * without a file. A crash in between leaves an unnamed file, which the next start reports.
 */
export function drawKey(directory: string, machine: Machine): HeldKey {
  return writeKeyFile(makeKeyPlace(directory), machine.random(32))
}

/** The row of a key that signs from `at` on. */
export function signingKeyRow({ keyId, x }: Pick<HeldKey, "keyId" | "x">, use: KeyUse, at: number): ServiceKey {
  const since = formatInstant(at)
  const expiresAt = formatInstant(at + KEY_VALID_DAYS * DAY)
  return { keyId, use, x, status: "ACTIVE", createdAt: since, notBefore: since, expiresAt, revokedSince: null }
}

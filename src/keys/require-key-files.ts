import { existsSync, readdirSync } from "node:fs"
import { readSecretFile, SecretFileError } from "../base/secret-file.ts"
import { commitmentTo } from "../core/agent-id.ts"
import type { ServiceKey } from "../store/identity/service-keys.ts"
import { keyFilePath, readKeyFile } from "./key-file.ts"
import { nextKeys, recoveryKeys, takeIntoUse } from "./key-places.ts"

/** The database's records of keys that have files. */
export interface KnownKeys {
  readonly signing: readonly ServiceKey[]
  /** Commitments to the keys that the next rotations must introduce. */
  readonly nextDigests: readonly string[]
  readonly recoveryKeyIds: readonly string[]
}

const KEY_ID = /^ed25519-[A-Za-z0-9_-]{43}$/

interface KeyFileCheck {
  /** Read after the files are listed, so that a key which another process activates meanwhile is never reported as unknown. */
  readonly known: () => Promise<KnownKeys>
  /** True for commands that introduce a new key with the recovery key. They must run when the old key's file is lost. */
  readonly missingIsNotice: boolean
}

/**
 * Every ACTIVE key needs its private file, and every file in `keys/` needs its row. Completes a key move that a crash interrupted. Returns
 * notices of what a person should clean up. Throws {@link SecretFileError}. CHOICE: files of ROTATED and REVOKED keys may be deleted,
 * because these keys sign nothing any more, and recovery keys belong offline. While such a file exists, it needs the same mode as the
 * others.
 */
export async function requireKeyFiles(
  keysDirectory: string,
  { known, missingIsNotice }: KeyFileCheck,
): Promise<string[]> {
  const [next, recovery] = [nextKeys(keysDirectory), recoveryKeys(keysDirectory)]
  const listed = { signing: keyIdsIn(keysDirectory), next: keyIdsIn(next), recovery: keyIdsIn(recovery) }
  const { signing, nextDigests, recoveryKeyIds } = await known()
  const notices: string[] = []
  for (const { keyId, status, use } of signing) {
    if (existsSync(keyFilePath(next, keyId))) takeIntoUse(keysDirectory, keyId)
    if (status !== "ACTIVE" || existsSync(keyFilePath(keysDirectory, keyId))) continue
    const missing = `${keyFilePath(keysDirectory, keyId)} is missing: the database says this key signs. Restore it from your backup, or replace it: bizauth keys rotate --use ${use} --recovery-key FILE.`
    if (!missingIsNotice) throw new SecretFileError(missing)
    notices.push(missing)
  }
  for (const keyId of listed.signing) {
    if (!signing.some((row) => row.keyId === keyId)) {
      throw new SecretFileError(
        `${keyFilePath(keysDirectory, keyId)} belongs to no key of the database. If the database is an older copy, put back the newest; otherwise move the file away.`,
      )
    }
    readKeyFile(keysDirectory, keyId)
  }
  const promised = (keyId: string) => KEY_ID.test(keyId) && nextDigests.includes(commitmentTo(keyId))
  return [
    ...notices,
    ...unnamed(next, listed.next, promised),
    ...unnamed(recovery, listed.recovery, (keyId) => recoveryKeyIds.includes(keyId)),
  ]
}

/** For a file that nothing names only the mode is checked, not the content: a crash may have truncated it. */
function unnamed(directory: string, keyIds: readonly string[], isNamed: (keyId: string) => boolean): string[] {
  return keyIds.flatMap((keyId) => {
    const path = keyFilePath(directory, keyId)
    // Moved since the listing: the key was activated.
    if (!existsSync(path)) return []
    if (isNamed(keyId)) {
      readKeyFile(directory, keyId)
      return []
    }
    readSecretFile(path)
    return [
      `${path} is named by no key event: a command that makes keys is running, was cut short before it took effect, or put another key in its place. Unless one is running, it will never sign; remove the file.`,
    ]
  })
}

function keyIdsIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []))
}

import { existsSync, readdirSync } from "node:fs"
import type { ServiceKey } from "../store/service-keys.ts"
import { keyFilePath, readKeyFile } from "./key-file.ts"
import { nextKeys, placeOfSigningKey, takeIntoUse } from "./key-places.ts"
import { readSecretFile, SecretFileError } from "./secret-file.ts"

/**
 * Every ACTIVE key needs its private file, and every file in `keys/` needs its row. Finishes the move of a key that a crash cut short,
 * and returns what a person should tidy up. Throws {@link SecretFileError}. CHOICE: files of ROTATED and REVOKED keys may be deleted,
 * because they sign nothing any more; while they are there they must be as closed as the others.
 */
export function checkKeyFiles(keysDirectory: string, rows: readonly ServiceKey[]): string[] {
  for (const { keyId, status } of rows) {
    if (existsSync(keyFilePath(nextKeys(keysDirectory), keyId))) takeIntoUse(keysDirectory, keyId)
    if (status === "ACTIVE" && !existsSync(keyFilePath(keysDirectory, keyId))) {
      throw new SecretFileError(
        `${keyFilePath(keysDirectory, keyId)} is missing: the database says this key signs. Restore it from your backup.`,
      )
    }
  }
  for (const keyId of keyIdsIn(keysDirectory)) {
    if (!rows.some((row) => row.keyId === keyId)) {
      throw new SecretFileError(
        `${keyFilePath(keysDirectory, keyId)} belongs to no key of the database. If the database is an older copy, put back the newest; otherwise move the file away.`,
      )
    }
    readKeyFile(placeOfSigningKey(keysDirectory, keyId), keyId)
  }
  return keyIdsIn(nextKeys(keysDirectory)).map((keyId) => unused(keyFilePath(nextKeys(keysDirectory), keyId)))
}

/** Only its mode is looked at: a crash may have cut the file itself short. */
function unused(path: string): string {
  readSecretFile(path)
  return `${path} belongs to no key of the database: a command that makes keys is running, or was cut short before it took effect. In the second case it has signed nothing; remove the file.`
}

function keyIdsIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []))
}

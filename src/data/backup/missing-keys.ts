import { existsSync } from "node:fs"
import { openUnchanged } from "../../../db/open-unchanged.ts"
import { readSecretFile } from "../../base/secret-file.ts"
import type { DataPaths } from "../data-paths.ts"
import { keyCheckFault, keyChecksOf } from "../hmac-keys.ts"
import { missingFiles } from "../missing-files.ts"
import { BackupRefusal } from "./backup-refusal.ts"

/** Key files without which the service does not start. Reads only columns that every schema with keys has. */
export function missingKeyFiles(paths: DataPaths): readonly string[] {
  const { database, close } = openUnchanged(paths.database)
  try {
    const keys = database.query<{ keyId: string; status: string }, []>(
      "SELECT key_id AS keyId, status FROM service_key",
    )
    return missingFiles(paths, keys.all())
  } finally {
    close()
  }
}

/** Throws {@link BackupRefusal} if the HMAC keys of the backup are not those of its database. Without a file or a check value it says nothing. */
export function requireKeysOfDatabase(paths: DataPaths): void {
  if (!existsSync(paths.quoteKey) || !existsSync(paths.tokenKey)) return
  const { database, close } = openUnchanged(paths.database)
  const metaOf = (name: string) =>
    database.query<{ value: string }, [string]>("SELECT value FROM meta WHERE name = ?1").get(name)?.value ?? null
  const [quoteKey, tokenKey] = [metaOf("quote_key_check"), metaOf("token_key_check")]
  close()
  if (quoteKey === null || tokenKey === null) return
  const keyAt = (path: string) => new Uint8Array(readSecretFile(path))
  const found = keyChecksOf({ quoteKey: keyAt(paths.quoteKey), tokenKey: keyAt(paths.tokenKey) })
  const fault = keyCheckFault(paths, found, { quoteKey, tokenKey }, "the database of this backup")
  if (fault !== null) throw new BackupRefusal("KEYS", fault)
}

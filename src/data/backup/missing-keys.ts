import { existsSync } from "node:fs"
import { openUnchanged } from "../../../db/open-unchanged.ts"
import { keyFilePath } from "../../keys/key-file.ts"
import { nextKeys } from "../../keys/key-places.ts"
import type { DataPaths } from "../data-paths.ts"

/** Key files without which the service does not start. Reads only columns that every schema with keys has. */
export function missingKeyFiles(paths: DataPaths): readonly string[] {
  const { database, close } = openUnchanged(paths.database)
  try {
    const active = database
      .query<{ key_id: string }, []>("SELECT key_id FROM service_key WHERE status = 'ACTIVE'")
      .all()
    return missingFiles(
      paths,
      active.map(({ key_id }) => key_id),
    )
  } finally {
    close()
  }
}

/** The same for keys that are known: those that are ACTIVE. */
export function missingFiles(paths: DataPaths, active: readonly string[]): readonly string[] {
  const files = active
    .filter((keyId) => !existsSync(keyFilePath(nextKeys(paths.keys), keyId)))
    .toSorted()
    .map((keyId) => keyFilePath(paths.keys, keyId))
  return [...files, paths.quoteKey, paths.tokenKey].filter((path) => !existsSync(path))
}

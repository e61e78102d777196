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
      .query<{ key_id: string }, []>("SELECT key_id FROM service_key WHERE status = 'ACTIVE' ORDER BY key_id")
      .all()
    const files = active
      .filter(({ key_id }) => !existsSync(keyFilePath(nextKeys(paths.keys), key_id)))
      .map(({ key_id }) => keyFilePath(paths.keys, key_id))
    return [...files, paths.quoteKey, paths.tokenKey].filter((path) => !existsSync(path))
  } finally {
    close()
  }
}

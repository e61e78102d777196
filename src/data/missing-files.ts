import { existsSync } from "node:fs"
import { keyFilePath } from "../keys/key-file.ts"
import { nextKeys } from "../keys/key-places.ts"
import type { DataPaths } from "./data-paths.ts"

interface StoredKey {
  readonly keyId: string
  readonly status: string
}

/** Key files without which the service does not start. `keys`: every key that the database knows. */
export function missingFiles(paths: DataPaths, keys: readonly StoredKey[]): readonly string[] {
  const files = keys
    .filter(({ status }) => status === "ACTIVE")
    .map(({ keyId }) => keyId)
    .filter((keyId) => !existsSync(keyFilePath(nextKeys(paths.keys), keyId)))
    .toSorted()
    .map((keyId) => keyFilePath(paths.keys, keyId))
  return [...files, paths.quoteKey, paths.tokenKey].filter((path) => !existsSync(path))
}

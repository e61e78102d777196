import { existsSync } from "node:fs"
import { keyFilePath } from "../keys/key-file.ts"
import { nextKeys } from "../keys/key-places.ts"
import type { DataPaths } from "./data-paths.ts"

/** Key files without which the service does not start. `active`: ids of the keys that are ACTIVE. */
export function missingFiles(paths: DataPaths, active: readonly string[]): readonly string[] {
  const files = active
    .filter((keyId) => !existsSync(keyFilePath(nextKeys(paths.keys), keyId)))
    .toSorted()
    .map((keyId) => keyFilePath(paths.keys, keyId))
  return [...files, paths.quoteKey, paths.tokenKey].filter((path) => !existsSync(path))
}

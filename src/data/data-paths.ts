import { join, resolve } from "node:path"
import { SNAPSHOTS_FOLDER } from "../sources/import/snapshot-files.ts"

/** Absolute paths of the parts of a data directory. */
export interface DataPaths {
  readonly directory: string
  readonly database: string
  readonly keys: string
  readonly quoteKey: string
  readonly tokenKey: string
  readonly configuration: string
  readonly snapshots: string
}

export function dataPaths(directory: string): DataPaths {
  const at = resolve(directory)
  const keys = join(at, "keys")
  return {
    directory: at,
    database: join(at, "bizauth.db"),
    keys,
    quoteKey: join(keys, "quote-hmac.key"),
    tokenKey: join(keys, "token-hmac.key"),
    configuration: join(at, "bizauth.toml"),
    snapshots: join(at, SNAPSHOTS_FOLDER),
  }
}

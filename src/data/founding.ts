import { resolve } from "node:path"
import { commentedFile, type SettingName } from "../base/config.ts"
import { settings } from "../base/settings.ts"

/** What `init` stores permanently, in addition to the environment. */
export interface Founding {
  readonly issuerId?: string
  /** Public origin of the service, stored as a setting. */
  readonly baseUrl?: string
  /** Host for the name of the transparency log. Without it, the host of the first service that runs. */
  readonly logHost?: string
  /** The secret file that names a database on a server, stored as a setting. Without it the database is a file in the directory. */
  readonly databaseFile?: string
}

/** Returns the text of the configuration file: every setting as a comment, except those that `init` chose. */
export function foundingConfiguration({ issuerId, baseUrl, databaseFile }: Founding): string {
  const given: Partial<Record<SettingName, string>> = {
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(databaseFile === undefined ? {} : { database_file: resolve(databaseFile) }),
    ...(issuerId === undefined || issuerId === settings.issuer_id.default ? {} : { issuer_id: issuerId }),
  }
  return commentedFile(given)
}

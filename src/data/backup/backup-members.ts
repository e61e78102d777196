/** The members of a backup, and the path of each in the directory that it is unpacked into. */
import { SNAPSHOTS_FOLDER } from "../../sources/import/snapshot-files.ts"

export const MANIFEST_NAME = "manifest.json"
export const DATABASE_NAME = "bizauth.db"
export const CONFIGURATION_NAME = "bizauth.toml"
export const PUBLIC_KEYS_NAME = "public-keys.json"
/** `keys/` without the recovery keys, as a tar inside one age file. */
export const KEYS_NAME = "keys.age"

const FIXED: ReadonlySet<string> = new Set([DATABASE_NAME, CONFIGURATION_NAME, PUBLIC_KEYS_NAME, KEYS_NAME])
/** Source, snapshot and file: no hidden name, no `..`, no other folder. */
const SNAPSHOT_FILE = new RegExp(`^${SNAPSHOTS_FOLDER}/[A-Z0-9_]{1,64}/[A-Za-z0-9_-]{1,128}/[^./\\0][^/\\0]{0,199}$`)

/** Only these names are written to disk, so no archive writes outside the folder it is unpacked into. */
export function isMemberName(name: string): boolean {
  return FIXED.has(name) || SNAPSHOT_FILE.test(name)
}

/** Bytes that the name of a file in a tar may have. */
const TAR_NAME_MAX = 100

/** Name in the tar: the member's own, or its number when the name is too long for a tar. */
export function tarNameOf(name: string, index: number): string {
  return Buffer.byteLength(name) <= TAR_NAME_MAX ? name : `member-${index}`
}

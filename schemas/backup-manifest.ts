import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime } from "./common.ts"
import { text } from "./text.ts"

/** The first member of every backup. A backup of another format version is not read. */
export const BACKUP_FORMAT = "svc.backup.v1"
/** A register has a handful of files, and a list at most 32. */
export const BACKUP_MEMBERS_MAX = 10_000

const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" })

export const BackupMember = closed({
  /** Path in the data directory, except `public-keys.json` and `keys.age`. */
  name: text(1, 400),
  bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sha256: Sha256,
})
export type BackupMember = Static<typeof BackupMember>

/** What a backup holds. Its digest is SHA-256 of the canonical bytes, which are the bytes in the archive. */
export const BackupManifest = closed({
  format: Type.Literal(BACKUP_FORMAT),
  created_at: DateTime,
  binary: closed({ version: text(0, 64), commit: text(0, 64) }),
  /** The last migration of the database. */
  schema: closed({ ordinal: Type.Integer({ minimum: 1 }), name: text(1, 128) }),
  environment: Type.Union([Type.Literal("test"), Type.Literal("live")]),
  log: closed({
    /** Null before the first service has run. */
    origin: Type.Union([text(0, 300), Type.Null()]),
    tree_size: Type.Integer({ minimum: 0 }),
    root_hash: Sha256,
  }),
  /** In the order of the archive. */
  members: Type.Array(BackupMember, { minItems: 2, maxItems: BACKUP_MEMBERS_MAX }),
})
export type BackupManifest = Static<typeof BackupManifest>

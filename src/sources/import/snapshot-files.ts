/**
 * Snapshots on disk: `svc-snapshot-1` folders. A folder holds the publisher's files byte for byte, a manifest, and the parsed parties, so
 * that a start need not parse again. A folder appears complete (staged, fsynced, renamed) or not at all.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { SNAPSHOT_FORMAT } from "../../../schemas/snapshot-manifest.ts"
import { renameDurably, syncFolder, writeNewFile } from "../../base/durable-file.ts"
import { digestBytes } from "../../core/digest.ts"
import type { PublishedFrom, SnapshotRow } from "../../store/sources/sources.ts"
import { DETAILS_FILE } from "../details/details-file.ts"
import type { SourceFile } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import type { Party, SourceId } from "../records/party.ts"
import type { RegisterId } from "../records/register-id.ts"
import type { RemovedParty } from "./removed-parties.ts"

/** Folder in a data directory: all snapshots, by source and id. */
export const SNAPSHOTS_FOLDER = "snapshots"
export const MANIFEST_FILE = "manifest.json"
/** Written by bizauth, next to the publisher's files. */
export const PARTIES_FILE = "parties.json"
/** Written by bizauth in place of the parties, if a publication has millions of entries. */
export const REGISTER_FILE = "register.sqlite"

/** The files of a snapshot's folder that are not the publisher's. */
export const OWN_FILES: readonly string[] = [MANIFEST_FILE, PARTIES_FILE, REGISTER_FILE, DETAILS_FILE]

export const SNAPSHOT_ID_PREFIX = "snp_"
export const STAGING_PREFIX = ".staging-"

export interface ManifestFile {
  readonly name: string
  /** 64 lower-case hex characters. */
  readonly sha256: string
  readonly bytes: number
  readonly last_modified: string
  /** Set for fetched files. */
  readonly url?: string
  readonly etag?: string
}

export interface Manifest {
  readonly format: typeof SNAPSHOT_FORMAT
  readonly source_id: SourceId | RegisterId
  readonly source_url: string
  readonly source_version: string
  readonly source_timestamp: string | null
  readonly retrieved_at: string
  readonly retrieved_by: string
  /** Absent in snapshots of earlier releases. */
  readonly licence?: string
  /** When the publisher published the files, and the origin of that time; absent if unknown. */
  readonly published_at?: string
  readonly published_from?: PublishedFrom
  /** When the publisher's own host last sent or confirmed them; absent if it never did. */
  readonly confirmed_at?: string
  readonly files: readonly ManifestFile[]
}

/** Returns the three optional times of a row in the form of the manifest. */
export function statedTimes({
  publishedAt,
  publishedFrom,
  confirmedAt,
}: Pick<SnapshotRow, "publishedAt" | "publishedFrom" | "confirmedAt">): Pick<
  Manifest,
  "published_at" | "published_from" | "confirmed_at"
> {
  return {
    ...(publishedAt !== null && publishedFrom !== null
      ? { published_at: publishedAt, published_from: publishedFrom }
      : {}),
    ...(confirmedAt === null ? {} : { confirmed_at: confirmedAt }),
  }
}

/** Accepts a plain file name. It must not leave the folder, be hidden, break a line of a digest, or equal a name that bizauth uses. */
export function isKeepable(name: string): boolean {
  return /^[^./\\\p{Cc}][^/\\\p{Cc}]{0,199}$/u.test(name) && !OWN_FILES.includes(name.toLowerCase())
}

/** Changes with the shape of a party: a release must not misread what another release stored. */
const PARTIES_FORMAT = "svc-parties-1"

export interface StoredParties {
  readonly parties: readonly Party[]
  readonly removed: readonly RemovedParty[]
}

export function snapshotFolder(root: string, sourceId: string, snapshotId: string): string {
  return join(root, sourceId, snapshotId)
}

/** What the folder of a snapshot will hold. */
interface NewSnapshot {
  readonly snapshotId: string
  readonly manifest: Manifest
  /** The publisher's files. */
  readonly files: readonly SourceFile[]
  readonly stored: StoredParties
  /** Path of the synced file with the details of the entries, which moves into the folder; absent for a snapshot without them. */
  readonly details?: string
}

/** Writes the folder durably. The snapshot id must be new. Returns the digest of the parties file. */
export function writeSnapshot(root: string, { snapshotId, manifest, files, stored, details }: NewSnapshot): string {
  const parent = join(root, manifest.source_id)
  const staging = join(parent, STAGING_PREFIX + snapshotId)
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  for (const file of files) writeNewFile(join(staging, file.name), [file.bytes])
  const parties = Buffer.from(JSON.stringify({ format: PARTIES_FORMAT, ...stored }))
  writeNewFile(join(staging, PARTIES_FILE), [parties])
  if (details) renameSync(details, join(staging, DETAILS_FILE))
  writeNewFile(join(staging, MANIFEST_FILE), [`${JSON.stringify(manifest, null, 2)}\n`])
  publishFolder(staging, snapshotFolder(root, manifest.source_id, snapshotId))
  return digestBytes(parties)
}

/** Gives a staged folder its final name, `<root>/<source>/<snapshot>`. Its files are already durable. */
export function publishFolder(staging: string, folder: string): void {
  syncFolder(staging)
  renameDurably(staging, folder)
  syncFolder(dirname(dirname(folder)))
}

export type ReadSnapshot =
  | { readonly stored: StoredParties; readonly fault: null }
  | { readonly stored: null; readonly fault: string }

/**
 * Returns the parties of a snapshot if its folder holds exactly the bytes of its row. The publisher's files are checked too, because
 * evidence names their digest and a replay needs them.
 */
export function readSnapshot(root: string, row: SnapshotRow): ReadSnapshot {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const recorded = JSON.parse(row.files) as readonly ManifestFile[]
  try {
    const parties = readFileSync(join(folder, PARTIES_FILE))
    if (digestBytes(parties) !== row.partiesSha256) return faulty(`${PARTIES_FILE} has other bytes than recorded`)
    for (const { name, sha256 } of recorded) {
      if (digestBytes(readFileSync(join(folder, name))) !== `sha256:${sha256}`) {
        return faulty(`${name} has other bytes than recorded`)
      }
    }
    return { stored: readStoredParties(parties), fault: null }
  } catch (error) {
    if (error instanceof InputError) return faulty(error.message)
    if (error instanceof Error && "code" in error && typeof error.code === "string") return faulty(error.message)
    throw error
  }
}

const HASHED_AT_ONCE = 256 * 1024

/**
 * Returns the fault in the bytes of a snapshot, or null if its folder holds exactly the bytes of its row. Parses nothing, and never holds a
 * whole file in memory.
 */
export function snapshotFault(root: string, row: SnapshotRow): string | null {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const recorded = (JSON.parse(row.files) as readonly ManifestFile[]).map(
    ({ name, sha256 }) => [name, `sha256:${sha256}`] as const,
  )
  const buffer = new Uint8Array(HASHED_AT_ONCE)
  try {
    for (const [name, digest] of [[PARTIES_FILE, row.partiesSha256] as const, ...recorded])
      if (digestOfFile(join(folder, name), buffer) !== digest) return `${name} has other bytes than recorded`
    return null
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return error.message
    throw error
  }
}

function digestOfFile(path: string, buffer: Uint8Array): string {
  const hasher = new Bun.CryptoHasher("sha256")
  const descriptor = openSync(path, "r")
  try {
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer))
      hasher.update(buffer.subarray(0, read))
  } finally {
    closeSync(descriptor)
  }
  return `sha256:${hasher.digest("hex")}`
}

/** Parses a parties file. Throws {@link InputError} for a file of another release, and SyntaxError for invalid JSON. */
export function readStoredParties(bytes: Uint8Array): StoredParties {
  const { format, ...stored } = JSON.parse(new TextDecoder().decode(bytes)) as StoredParties & {
    readonly format: string
  }
  if (format === PARTIES_FORMAT) return stored
  throw new InputError(`${PARTIES_FILE} is of another release: import the files again`)
}

function faulty(fault: string): ReadSnapshot {
  return { stored: null, fault }
}

export function removeSnapshot(root: string, sourceId: string, snapshotId: string): void {
  rmSync(snapshotFolder(root, sourceId, snapshotId), { recursive: true, force: true })
}

/**
 * Removes what a killed import left: staging folders, and folders whose row was never committed or was dropped. Call it only under the
 * import lock; otherwise it could remove the folder of an import that is about to commit. `known` are the ids whose bytes must stay.
 */
export function removeOrphans(root: string, sourceId: string, known: ReadonlySet<string>): readonly string[] {
  const parent = join(root, sourceId)
  if (!existsSync(parent)) return []
  // A folder with any other name was not made by bizauth and is left alone.
  const ours = (name: string) => name.startsWith(SNAPSHOT_ID_PREFIX) || name.startsWith(STAGING_PREFIX)
  const orphans = readdirSync(parent).filter((name) => ours(name) && !known.has(name))
  for (const name of orphans) rmSync(join(parent, name), { recursive: true, force: true })
  return orphans
}

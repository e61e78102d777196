/** Reads the manifest of an `svc-snapshot-1` folder or archive: its statements about the files, and their differences from the files. */
import { readFileSync, statSync } from "node:fs"
import { SNAPSHOT_FORMAT } from "../../../schemas/snapshot-manifest.ts"
import { type JsonValue, readJson, StrictJsonError } from "../../core/strict-json.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import type { Finding, SourceFile } from "../records/adapter.ts"
import { hard } from "../records/findings.ts"
import { InputError } from "../records/input-error.ts"
import type { PublicationTime } from "./publication-time.ts"
import { isKeepable } from "./snapshot-files.ts"

export const MANIFEST_BYTES_MAX = 1024 * 1024

interface StatedFile {
  readonly sha256: string
  readonly bytes: number
  /** Milliseconds; null if the manifest does not state it. */
  readonly lastModified: number | null
  readonly url?: string
  readonly etag?: string
}

export interface StatedFiles {
  readonly sourceId: string
  /** Milliseconds. */
  readonly retrievedAt: number
  /** By name. */
  readonly files: ReadonlyMap<string, StatedFile>
  /** The manifest's publication and confirmation times. Trusted only with a pinned signature. */
  readonly vouched: VouchedTimes
  /** The parsed value, to verify its signature. */
  readonly value: JsonValue
}

export interface VouchedTimes {
  readonly published: PublicationTime | null
  /** Milliseconds: when the publisher's own host last sent or confirmed the files. */
  readonly confirmedAt: number | null
}

/** Throws {@link InputError} for an invalid manifest; then nothing of the folder is read. `sourceId` null accepts any source. */
export function readManifest(path: string, sourceId: string | null): StatedFiles {
  const { size } = statSync(path)
  if (size > MANIFEST_BYTES_MAX) throw tooLong(path, size)
  return parseManifest(new Uint8Array(readFileSync(path)), path, sourceId)
}

/** Same as `readManifest`, from bytes. Messages call it `path`. */
export function parseManifest(bytes: Uint8Array, path: string, sourceId: string | null): StatedFiles {
  const value = parseStrict(bytes, path)
  const { format, source_id, retrieved_at, files } = members(value)
  if (format !== SNAPSHOT_FORMAT) throw new InputError(`${path} is not of format ${SNAPSHOT_FORMAT}`)
  if (typeof source_id !== "string") throw new InputError(`${path} names no source`)
  if (sourceId !== null && source_id !== sourceId)
    throw new InputError(`${path} is a snapshot of another source than ${sourceId}`)
  const retrievedAt = typeof retrieved_at === "string" ? parseInstant(retrieved_at) : null
  if (retrievedAt === null || !Array.isArray(files)) throw new InputError(`${path} states no retrieved_at or files`)
  const stated = new Map<string, StatedFile>()
  for (const file of files) {
    const { name, sha256, bytes, last_modified, url, etag } = members(file)
    if (typeof name !== "string" || typeof sha256 !== "string" || !Number.isSafeInteger(bytes)) {
      throw new InputError(`${path} has a file without name, sha256 or bytes`)
    }
    // This also rejects `../../` and absolute names: a manifest may only name files of its own folder.
    if (!isKeepable(name))
      throw new InputError(`${path} names a file that no snapshot may hold: ${JSON.stringify(name)}`)
    if (stated.has(name)) throw new InputError(`${path} names ${name} twice`)
    const lastModified = typeof last_modified === "string" ? parseInstant(last_modified) : null
    stated.set(name, {
      sha256,
      bytes: Number(bytes),
      lastModified,
      ...(isShortText(url) && { url }),
      ...(isShortText(etag) && { etag }),
    })
  }
  return { sourceId: source_id, retrievedAt, files: stated, vouched: vouchedTimes(value), value }
}

function vouchedTimes(value: JsonValue): VouchedTimes {
  const { published_at, published_from, confirmed_at } = members(value)
  const published = typeof published_at === "string" ? parseInstant(published_at) : null
  const from = PUBLISHED_FROM.find((word) => word === published_from) ?? null
  return {
    published: published !== null && from !== null ? { at: formatInstant(published), from } : null,
    confirmedAt: typeof confirmed_at === "string" ? parseInstant(confirmed_at) : null,
  }
}

const PUBLISHED_FROM = ["CONTENT", "FILE_NAME", "LAST_MODIFIED", "STATED"] as const

/** A publisher's URL or ETag. A longer one is not stored. */
function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= 2048
}

/**
 * Returns the stored facts of a file apart from its bytes. The manifest takes precedence over file times, which are the times of the last
 * copy.
 */
export function statedFacts(
  { files, retrievedAt }: StatedFiles,
  name: string,
): Pick<SourceFile, "modifiedAt" | "url" | "etag"> {
  const { lastModified, url, etag } = files.get(name) ?? { lastModified: null }
  return {
    modifiedAt: lastModified ?? retrievedAt,
    ...(url === undefined ? {} : { url }),
    ...(etag === undefined ? {} : { etag }),
  }
}

function tooLong(path: string, size: number): InputError {
  return new InputError(`${path} has ${size} bytes, more than ${MANIFEST_BYTES_MAX}`)
}

function parseStrict(bytes: Uint8Array, path: string): JsonValue {
  if (bytes.length > MANIFEST_BYTES_MAX) throw tooLong(path, bytes.length)
  try {
    return readJson(bytes)
  } catch (error) {
    if (error instanceof StrictJsonError) throw new InputError(`${path} is not strict JSON: ${error.message}`)
    throw error
  }
}

/** Returns no members for a value that is not an object. */
function members(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

interface Digested {
  readonly name: string
  /** 64 lower-case hex characters. */
  readonly sha256: string
  readonly bytes: number
}

/** Differences between the files and what the manifest states of them; none for loose files. */
export function manifestFindings(manifest: StatedFiles | null, files: readonly Digested[]): Finding[] {
  return [...(manifest?.files ?? [])].flatMap(([name, { sha256, bytes }]) => {
    const file = files.find((candidate) => candidate.name === name)
    if (!file) return [hard("MISSING_FILE", "named in the manifest", name)]
    if (file.bytes < bytes) return [hard("TRUNCATED", `${file.bytes} of ${bytes} bytes`, name)]
    return file.sha256 === sha256 ? [] : [hard("CORRUPT", "other bytes than the manifest's", name)]
  })
}

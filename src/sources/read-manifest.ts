/** The manifest of an `svc-snapshot-1` folder: what it states about the files beside it, and where they differ from that. */
import { readFileSync, statSync } from "node:fs"
import { digestBytes } from "../core/digest.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"
import { parseInstant } from "../core/time.ts"
import type { Finding, SourceFile } from "./adapter.ts"
import { hard } from "./findings.ts"
import { InputError } from "./input-error.ts"
import { isKeepable, SNAPSHOT_FORMAT } from "./snapshot-files.ts"

export const MANIFEST_BYTES_MAX = 1024 * 1024

export interface StatedFile {
  readonly sha256: string
  readonly bytes: number
  /** Milliseconds; null where the manifest does not say. */
  readonly lastModified: number | null
}

export interface StatedFiles {
  /** Milliseconds. */
  readonly retrievedAt: number
  /** By name. */
  readonly files: ReadonlyMap<string, StatedFile>
}

/** Throws {@link InputError} for a manifest that cannot be followed: nothing of such a folder is read. */
export function readManifest(path: string, sourceId: string): StatedFiles {
  const { format, source_id, retrieved_at, files } = members(readStrict(path))
  if (format !== SNAPSHOT_FORMAT) throw new InputError(`${path} is not of format ${SNAPSHOT_FORMAT}`)
  if (source_id !== sourceId) throw new InputError(`${path} is a snapshot of another source than ${sourceId}`)
  const retrievedAt = typeof retrieved_at === "string" ? parseInstant(retrieved_at) : null
  if (retrievedAt === null || !Array.isArray(files)) throw new InputError(`${path} states no retrieved_at or files`)
  const stated = new Map<string, StatedFile>()
  for (const file of files) {
    const { name, sha256, bytes, last_modified } = members(file)
    if (typeof name !== "string" || typeof sha256 !== "string" || !Number.isSafeInteger(bytes)) {
      throw new InputError(`${path} has a file without name, sha256 or bytes`)
    }
    // Also keeps `../` and absolute names out: a manifest speaks of its own folder only.
    if (!isKeepable(name))
      throw new InputError(`${path} names a file that no snapshot may hold: ${JSON.stringify(name)}`)
    if (stated.has(name)) throw new InputError(`${path} names ${name} twice`)
    const lastModified = typeof last_modified === "string" ? parseInstant(last_modified) : null
    stated.set(name, { sha256, bytes: Number(bytes), lastModified })
  }
  return { retrievedAt, files: stated }
}

function readStrict(path: string): unknown {
  const { size } = statSync(path)
  if (size > MANIFEST_BYTES_MAX) throw new InputError(`${path} has ${size} bytes, more than ${MANIFEST_BYTES_MAX}`)
  try {
    return readJson(new Uint8Array(readFileSync(path)))
  } catch (error) {
    if (error instanceof StrictJsonError) throw new InputError(`${path} is not strict JSON: ${error.message}`)
    throw error
  }
}

/** A value that is no object has no members. */
function members(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

export function compareWithManifest(manifest: StatedFiles, files: readonly SourceFile[]): Finding[] {
  const findings: Finding[] = []
  for (const [name, { sha256, bytes }] of manifest.files) {
    const file = files.find((candidate) => candidate.name === name)
    if (!file) findings.push(hard("MISSING_FILE", "named in the manifest", name))
    else if (file.bytes.length < bytes) findings.push(hard("TRUNCATED", `${file.bytes.length} of ${bytes} bytes`, name))
    else if (digestBytes(file.bytes) !== `sha256:${sha256}`) {
      findings.push(hard("CORRUPT", "other bytes than the manifest's", name))
    }
  }
  return findings
}

import type { SnapshotReference, SourceFact } from "../../schemas/source-fact.ts"
import { type JsonValue, readJson, StrictJsonError } from "../core/strict-json.ts"
import type { Report } from "./report.ts"

/** Largest document verify and replay read. A decision with fifty explained hits has about a tenth of it. */
export const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024

/** Strict JSON of a known size; null after reporting why not. */
export function readDocument(
  bytes: Uint8Array,
  report: Report,
  name = "document",
): { readonly value: JsonValue } | null {
  if (bytes.length > DOCUMENT_BYTES_MAX) {
    report.unchecked(name, `over ${DOCUMENT_BYTES_MAX} bytes`)
    return null
  }
  try {
    return { value: readJson(bytes) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    report.unchecked(name, `not strict JSON: ${error.message}`)
    return null
  }
}

/** Which snapshots the facts rest on. */
export function snapshotsOf({ sources }: { readonly sources: readonly SourceFact[] }): SnapshotReference[] {
  return sources.map(({ source_id, snapshot_id, raw_sha256 }) => ({ source_id, snapshot_id, raw_sha256 }))
}

/** A member of an object read from a file; undefined where there is no such member, or no object. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? value[name] : undefined
}

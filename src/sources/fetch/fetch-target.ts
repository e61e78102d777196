/** The target of a fetch round: one source, whose files go through the same import as an operator's files. */
import type { LongWork } from "../../base/long-work.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { type ImportContext, type ImportReport, importSource } from "../import/import-source.ts"
import type { FromPublisher } from "../import/publication-time.ts"
import type { FoundFile } from "../import/read-input.ts"
import type { StatedFiles } from "../import/read-manifest.ts"
import type { Source } from "../import/source.ts"
import type { Downloaded } from "./download-file.ts"
import type { Planner } from "./plan.ts"
import { PLANS } from "./plans.ts"

export interface FetchTarget {
  readonly sourceId: string
  /** Bytes that another parser version read are parsed again, even if they did not change. */
  readonly parserVersion: string
  readonly plan: Planner
  /** LAST_MODIFIED if the publisher's header may state the publication time. Null for a register, whose files state it. */
  readonly dates: "LAST_MODIFIED" | null
  /**
   * Returns why the active snapshot cannot be used, or null. A damaged snapshot is downloaded again even if the publisher reports no
   * change.
   */
  readonly fault: (active: SnapshotRow) => Promise<string | null>
  /** Imports the files. `at` is the request time in milliseconds. `isPublisher` is false if a mirror sent the files. */
  readonly bring: (files: readonly Downloaded[], at: number, isPublisher: boolean) => Promise<ImportReport>
}

export interface TargetContext extends Omit<ImportContext, "source" | "free"> {
  /** `raw_sha256` of the bytes that the operator accepts although they differ much from the active snapshot, or null. */
  readonly acceptShrink?: string | null
  readonly work?: LongWork
}

const FETCHED_BY = "bizauth sources fetch"

export function fetchTarget(source: Source, context: TargetContext): FetchTarget {
  const { root, work, acceptShrink = null } = context
  return {
    sourceId: source.id,
    parserVersion: source.parserVersion,
    plan: PLANS[source.id],
    dates: source.kind === "LIST" ? "LAST_MODIFIED" : null,
    fault: (active) => source.kept.faultOf(root, active, work, "reading the register in use"),
    bring: (files, at, isPublisher) => {
      const input = {
        files: files.map((file) => fetchedFile(file, at)),
        ...{ manifest: received(source.id, files, at), vouched: null, findings: [] },
      }
      const from = isPublisher ? fromPublisher(files, at) : null
      const options = { retrievedAt: null, acceptShrink, retrievedBy: FETCHED_BY, fromPublisher: from }
      return importSource({ ...context, source }, input, options)
    },
  }
}

/** Digests as received from the wire, with the time. The import compares them, so that it detects a disk that returns other bytes. */
function received(sourceId: string, files: readonly Downloaded[], at: number): StatedFiles {
  const stated = files.map((file) => {
    const { sha256, bytes } = file
    return [file.name, { sha256, bytes, lastModified: fetchedFile(file, at).modifiedAt }] as const
  })
  // Not signed. `value` is the content that a signature would cover.
  const vouched = { published: null, confirmedAt: null }
  return { sourceId, retrievedAt: at, files: new Map(stated), vouched, value: null }
}

/** Returns the publisher's times. `at` is in milliseconds. A header time after `at` is a clock error and is ignored. */
export function fromPublisher(files: readonly Pick<Downloaded, "lastModified">[], at: number): FromPublisher {
  const times = files.map(({ lastModified }) => (lastModified === null ? Number.NaN : Date.parse(lastModified)))
  return {
    lastModified: times.length > 0 && times.every((time) => time >= 0 && time <= at) ? Math.min(...times) : null,
  }
}

/** Converts a download to the input of an import. `path` is the location of the bytes. */
function fetchedFile({ name, path, url, etag, lastModified }: Downloaded, at: number): FoundFile {
  const modified = lastModified === null ? Number.NaN : Date.parse(lastModified)
  // A publisher's clock may be wrong. Clamp a file time in the future to the request time.
  const modifiedAt = Number.isNaN(modified) ? at : Math.min(Math.max(modified, 0), at)
  return { name, path, modifiedAt, url, ...(etag === null ? {} : { etag }) }
}

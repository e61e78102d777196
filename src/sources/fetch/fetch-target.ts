/** The target of a fetch round. This file builds the target for screened lists; they use the same import as an operator's files. */
import { readFileSync } from "node:fs"
import type { LongWork } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { RegisterImportReport } from "../import/import-register.ts"
import { type ImportReport, importSnapshot } from "../import/import-snapshot.ts"
import type { ImportOptions } from "../import/import-times.ts"
import type { Environment } from "../import/judge-snapshot.ts"
import type { FromPublisher } from "../import/publication-time.ts"
import type { FoundFile } from "../import/read-input.ts"
import { readSnapshot } from "../import/snapshot-files.ts"
import type { SourceAdapter, SourceFile } from "../records/adapter.ts"
import type { Downloaded } from "./download-file.ts"
import type { Planner } from "./plan.ts"
import { PLANS } from "./plans.ts"

export type Brought = ImportReport | RegisterImportReport

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
  readonly bring: (files: readonly Downloaded[], at: number, isPublisher: boolean) => Promise<Brought>
}

export interface TargetContext {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  readonly environment: Environment
  /** `raw_sha256` of the bytes that the operator accepts although they differ much from the active snapshot, or null. */
  readonly acceptShrink?: string | null
  readonly work?: LongWork
}

export const FETCHED_BY = "bizauth sources fetch"

export function listTarget(adapter: SourceAdapter, context: TargetContext): FetchTarget {
  return {
    sourceId: adapter.id,
    parserVersion: adapter.parserVersion,
    plan: PLANS[adapter.id],
    dates: "LAST_MODIFIED",
    fault: async (active) => readSnapshot(context.root, active).fault,
    bring: (files, at, isPublisher) =>
      importSnapshot(
        { ...context, adapter },
        { files: files.map((file) => asSourceFile(file, at)), retrievedAt: at, vouched: null, findings: [] },
        fetchOptions(context, isPublisher ? fromPublisher(files, at) : null),
      ),
  }
}

export function fetchOptions(
  { acceptShrink = null }: Pick<TargetContext, "acceptShrink">,
  from: FromPublisher | null,
): ImportOptions {
  return { retrievedAt: null, acceptShrink, retrievedBy: FETCHED_BY, fromPublisher: from }
}

/** Returns the publisher's times. `at` is in milliseconds. A header time after `at` is a clock error and is ignored. */
export function fromPublisher(files: readonly Pick<Downloaded, "lastModified">[], at: number): FromPublisher {
  const times = files.map(({ lastModified }) => (lastModified === null ? Number.NaN : Date.parse(lastModified)))
  return {
    lastModified: times.length > 0 && times.every((time) => time >= 0 && time <= at) ? Math.min(...times) : null,
  }
}

/** Converts a download to the input of an import. `path` is the location of the bytes. */
export function fetchedFile({ name, path, url, etag, lastModified }: Downloaded, at: number): FoundFile {
  const modified = lastModified === null ? Number.NaN : Date.parse(lastModified)
  // A publisher's clock may be wrong. Clamp a file time in the future to the request time.
  const modifiedAt = Number.isNaN(modified) ? at : Math.min(Math.max(modified, 0), at)
  return { name, path, modifiedAt, url, ...(etag === null ? {} : { etag }) }
}

function asSourceFile(file: Downloaded, at: number): SourceFile {
  const { path, ...fetched } = fetchedFile(file, at)
  return { ...fetched, bytes: new Uint8Array(readFileSync(path)) }
}

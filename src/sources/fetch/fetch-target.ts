/** What a round brings its files to; here the lists that are screened, by the same import an operator's files take. */
import { readFileSync } from "node:fs"
import type { Machine } from "../../machine.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Store } from "../../store/unit.ts"
import type { Environment } from "../lists/judge-standing.ts"
import { type ImportReport, importSnapshot } from "../publication/import-snapshot.ts"
import type { ImportOptions } from "../publication/import-times.ts"
import type { FromPublisher } from "../publication/publication-time.ts"
import type { FoundFile } from "../publication/read-input.ts"
import { readSnapshot } from "../publication/snapshot-files.ts"
import type { SourceAdapter, SourceFile } from "../records/adapter.ts"
import type { RegisterImportReport } from "../registers/import-register.ts"
import type { Downloaded } from "./download-file.ts"
import type { Planner } from "./plan.ts"
import { PLANS } from "./plans.ts"

export type Brought = ImportReport | RegisterImportReport

export interface FetchTarget {
  readonly sourceId: string
  /** Bytes that another parser read are read again, also where they did not change. */
  readonly parserVersion: string
  readonly plan: Planner
  /** LAST_MODIFIED where the publisher's header may say when its files were published; null for a register, whose files say it. */
  readonly dates: "LAST_MODIFIED" | null
  /** Why the active snapshot cannot be used, or null. A damaged one is fetched anew whatever the publisher says of changes. */
  readonly fault: (active: SnapshotRow) => Promise<string | null>
  /** `at` in milliseconds: when the files were asked for. `isPublisher` false where a mirror gave them. */
  readonly bring: (files: readonly Downloaded[], at: number, isPublisher: boolean) => Promise<Brought>
}

export interface TargetContext {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  readonly environment: Environment
  /** `raw_sha256` of the bytes the operator accepts although they differ much from the active snapshot. */
  readonly acceptShrink?: string | null
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

/** `at` in milliseconds. A time after it is a clock's mistake and says nothing. */
export function fromPublisher(files: readonly Pick<Downloaded, "lastModified">[], at: number): FromPublisher {
  const times = files.map(({ lastModified }) => (lastModified === null ? Number.NaN : Date.parse(lastModified)))
  return {
    lastModified: times.length > 0 && times.every((time) => time >= 0 && time <= at) ? Math.min(...times) : null,
  }
}

/** As an import is given its files; `path` is where the bytes lie. */
export function fetchedFile({ name, path, url, etag, lastModified }: Downloaded, at: number): FoundFile {
  const modified = lastModified === null ? Number.NaN : Date.parse(lastModified)
  // A publisher's clock may be wrong; a file of tomorrow is one of now.
  const modifiedAt = Number.isNaN(modified) ? at : Math.min(Math.max(modified, 0), at)
  return { name, path, modifiedAt, url, ...(etag === null ? {} : { etag }) }
}

function asSourceFile(file: Downloaded, at: number): SourceFile {
  const { path, ...fetched } = fetchedFile(file, at)
  return { ...fetched, bytes: new Uint8Array(readFileSync(path)) }
}

/**
 * The data that an index opens: read from its saved file, or built from the snapshots. A build of large lists takes almost a second and
 * several times the memory of its result, so run it in a separate thread.
 */

import type { SnapshotRow } from "../../store/sources/sources.ts"
import { readSnapshot, snapshotFault } from "../import/snapshot-files.ts"
import type { BoardName } from "../records/party.ts"
import { mergeNames } from "../screening/name-tables.ts"
import type { BuiltIndex, ListOutcome, PreparedList } from "./built-index.ts"
import { readIndexFile, type SavedIndexRow, writeIndexFile } from "./index-file.ts"
import { readTables } from "./list-tables.ts"

export interface IndexTask {
  /** Folder of all snapshots. */
  readonly root: string
  /** Milliseconds. */
  readonly now: number
  /** In index order. `held` is reused as it is; a list without it is read. */
  readonly lists: readonly { readonly row: SnapshotRow; readonly held: PreparedList | null }[]
  /** The saved file of this exact index, if one exists. */
  readonly saved?: SavedIndexRow | null
  /** How to save an index that had to be built. Without it the index is not saved. */
  readonly saveAs?: { readonly board: BoardName; readonly key: string }
}

export interface ProvidedIndex extends BuiltIndex {
  /** Why the saved index file could not be used. */
  readonly fileFault?: string
  /** The file that was written. It is used once this row is written. */
  readonly written?: SavedIndexRow
  /** Why the file could not be written. */
  readonly writeFault?: string
}

/** Opens the index from its file; otherwise builds and saves it. Throws the errors of {@link buildIndex}. */
export function openOrBuild(task: IndexTask): ProvidedIndex {
  const { index, fault } = openSaved(task)
  return index ?? withFault(saved(task, buildIndex(task)), fault)
}

export function withFault(built: ProvidedIndex, fault: string | null): ProvidedIndex {
  return fault === null ? built : { ...built, fileFault: fault }
}

type OpenedFile = { readonly index: BuiltIndex | null; readonly fault: string | null }

/**
 * Returns no index and no fault if no file holds the index, if it was built for another time, or if one of its snapshots is damaged. The
 * build then names the damaged snapshot and leaves it out.
 */
export function openSaved({ root, now, lists, saved }: IndexTask): OpenedFile {
  if (!saved) return { index: null, fault: null }
  if (lists.some(({ row, held }) => !held && snapshotFault(root, row) !== null)) return { index: null, fault: null }
  const { index, fault } = readIndexFile(root, saved)
  return { index: index && isCurrent(index, now) ? index : null, fault }
}

/** The time decides which removed entries are still screened. Between these two times the set does not change. */
function isCurrent({ outcomes, builtAt }: BuiltIndex & { readonly builtAt: number }, now: number): boolean {
  return builtAt <= now && outcomes.every(({ list }) => list !== null && now < list.endsAt)
}

/** Does not save an index that lacks a source. A failed write is only reported, so screening continues. */
function saved({ root, now, saveAs }: IndexTask, built: BuiltIndex): ProvidedIndex {
  if (!saveAs || built.outcomes.some(({ list }) => list === null)) return built
  try {
    return { ...built, written: writeIndexFile(root, { ...saveAs, builtAt: now }, built) }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error
    return { ...built, writeFault: error.message }
  }
}

/** Throws a RangeError if there are more names, words or identifiers than an index can number. */
export function buildIndex({ root, now, lists }: IndexTask): BuiltIndex {
  const outcomes = lists.map(({ row, held }): ListOutcome => {
    if (held) return { sourceId: row.sourceId, list: held, fault: null }
    const { stored, fault } = readSnapshot(root, row)
    if (!stored) return { sourceId: row.sourceId, list: null, fault }
    const list = { snapshotId: row.snapshotId, ...readTables(stored, now) }
    return { sourceId: row.sourceId, list, fault: null }
  })
  return { outcomes, merged: mergeNames(outcomes.flatMap(({ list }) => (list ? [list.names] : []))) }
}

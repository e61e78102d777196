/**
 * What an index is opened over: read from the file that holds it, or built from the snapshots. To build one of large lists takes the
 * better part of a second and several times the memory of its result, so it is meant for a thread of its own.
 */
import type { SavedBoard, SavedIndexRow } from "../../store/sources/saved-index.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { inSharedMemory } from "../formats/typed-arrays.ts"
import { nextEnd, stillScreened } from "../publication/removed-parties.ts"
import { readSnapshot, snapshotFault } from "../publication/snapshot-files.ts"
import { type ListedNames, readListedNames } from "../screening/listed-names.ts"
import { type MergedNames, mergeNames } from "../screening/name-tables.ts"
import type { PackedTexts } from "../screening/packed-texts.ts"
import { packParties } from "../screening/party-list.ts"
import { readIndexFile, writeIndexFile } from "./index-file.ts"

/** One snapshot, ready to be merged with others. Its arrays lie in shared memory: each build after it uses them as they are. */
export interface PreparedList {
  readonly snapshotId: string
  /** Milliseconds; from then on an entry that left the list is not screened any more, and the list must be prepared again. */
  readonly endsAt: number
  readonly names: ListedNames
  readonly parties: PackedTexts
}

export interface IndexTask {
  /** Folder of all snapshots. */
  readonly root: string
  /** Milliseconds. */
  readonly now: number
  /** In the order of the index. `held` is used as it is; a list without one is read. */
  readonly lists: readonly { readonly row: SnapshotRow; readonly held: PreparedList | null }[]
  /** The file that holds this very index, where there is one. */
  readonly saved?: SavedIndexRow | null
  /** What an index that had to be built is saved as; it is not saved without. */
  readonly saveAs?: { readonly board: SavedBoard; readonly key: string }
}

export type ListOutcome =
  | { readonly sourceId: string; readonly list: PreparedList; readonly fault: null }
  /** The bytes are missing or not those recorded: the index is built without this source. */
  | { readonly sourceId: string; readonly list: null; readonly fault: string }

export interface BuiltIndex {
  /** Of every list of the task, in its order. */
  readonly outcomes: readonly ListOutcome[]
  readonly merged: MergedNames
}

export interface ProvidedIndex extends BuiltIndex {
  /** Why the file that holds the index could not be used. */
  readonly fileFault?: string
  /** The file it was written to, which counts once this row is committed. */
  readonly written?: SavedIndexRow
  /** Why it could not be written. */
  readonly writeFault?: string
}

/** Opened from its file, else built and saved. Throws as {@link buildIndex}. */
export function openOrBuild(task: IndexTask): ProvidedIndex {
  const { index, fault } = openSaved(task)
  return index ?? withFault(saved(task, buildIndex(task)), fault)
}

export function withFault(built: ProvidedIndex, fault: string | null): ProvidedIndex {
  return fault === null ? built : { ...built, fileFault: fault }
}

export type OpenedFile = { readonly index: BuiltIndex | null; readonly fault: string | null }

/**
 * Neither where no file holds the index, where it was built for another time, or where a snapshot it was built from is damaged: the
 * build says which, and goes without it.
 */
export function openSaved({ root, now, lists, saved }: IndexTask): OpenedFile {
  if (!saved) return { index: null, fault: null }
  if (lists.some(({ row, held }) => !held && snapshotFault(root, row) !== null)) return { index: null, fault: null }
  const { index, fault } = readIndexFile(root, saved)
  return { index: index && isCurrent(index, now) ? index : null, fault }
}

/** Which entries that left their list are screened depends on the time; between these two it does not change. */
function isCurrent({ outcomes, builtAt }: BuiltIndex & { readonly builtAt: number }, now: number): boolean {
  return builtAt <= now && outcomes.every(({ list }) => list !== null && now < list.endsAt)
}

/** An index that lacks a source is not saved. A disk that takes no file keeps nobody from screening. */
function saved({ root, now, saveAs }: IndexTask, built: BuiltIndex): ProvidedIndex {
  if (!saveAs || built.outcomes.some(({ list }) => list === null)) return built
  try {
    return { ...built, written: writeIndexFile(root, { ...saveAs, builtAt: now }, built) }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error
    return { ...built, writeFault: error.message }
  }
}

/** Throws a RangeError for more names, words or identifiers than an index can number. */
export function buildIndex({ root, now, lists }: IndexTask): BuiltIndex {
  const outcomes = lists.map(({ row, held }): ListOutcome => {
    if (held) return { sourceId: row.sourceId, list: held, fault: null }
    const { stored, fault } = readSnapshot(root, row)
    if (!stored) return { sourceId: row.sourceId, list: null, fault }
    const parties = [...stored.parties, ...stillScreened(stored.removed, now).map(({ party }) => party)]
    const list = inSharedMemory({
      snapshotId: row.snapshotId,
      endsAt: nextEnd(stored.removed, now),
      names: readListedNames(parties),
      parties: packParties(parties),
    })
    return { sourceId: row.sourceId, list, fault: null }
  })
  return { outcomes, merged: mergeNames(outcomes.flatMap(({ list }) => (list ? [list.names] : []))) }
}

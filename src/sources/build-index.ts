/**
 * Reads snapshots and builds what an index is opened over. Meant for a thread of its own: it takes the better part of a second and
 * several times the memory of its result.
 */
import type { SnapshotRow } from "../store/sources.ts"
import { nextEnd, stillScreened } from "./removed-parties.ts"
import { type ListedNames, readListedNames } from "./screening/listed-names.ts"
import { type MergedNames, mergeNames } from "./screening/name-tables.ts"
import type { PackedTexts } from "./screening/packed-texts.ts"
import { packParties } from "./screening/party-list.ts"
import { readSnapshot } from "./snapshot-files.ts"
import { inSharedMemory } from "./typed-arrays.ts"

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

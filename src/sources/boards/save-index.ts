/**
 * Builds the index of a board and writes it to its file before another snapshot becomes active. The unit that activates the snapshot also
 * names the file, so a running service opens the file as soon as it sees the snapshot.
 */

import { StoreUnavailable } from "../../store/engine/store-error.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { putSavedIndex, type SavedBoard, type SavedIndexRow, savedIndex } from "../../store/sources/saved-index.ts"
import { activeSnapshots, type SnapshotRow, sourceGeneration } from "../../store/sources/sources.ts"
import { BOARDS, type SourceId } from "../records/party.ts"
import { buildIndex, type IndexTask, openSaved } from "./build-index.ts"
import { removeIndexFile, removeOtherIndexFiles, writeIndexFile } from "./index-file.ts"
import { indexKey } from "./index-key.ts"

const BOARD_NAMES = Object.keys(BOARDS) as SavedBoard[]

interface Place {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
}

/**
 * Makes `next` the active snapshot of its source and the new index file the valid one, in one unit. If `activate` reports no change,
 * returns false and leaves no file.
 */
export async function activateWithIndex(
  place: Place,
  next: SnapshotRow,
  now: number,
  activate: () => Unit<boolean>,
): Promise<boolean> {
  const index = await writeNextIndex(place, next, now)
  const swapped = await place.store.run(function* () {
    if (!(yield* activate())) return null
    return { replaced: index && (yield* putSavedIndex(index)) }
  })
  const unused = swapped ? swapped.replaced : index
  if (unused && !(swapped && unused.file === index?.file)) removeIndexFile(place.root, unused.file)
  return swapped !== null
}

/**
 * Writes the index file in which `next` replaces its source's active snapshot. Returns null if a snapshot of the board cannot be read, or
 * if there are more names than one index can number. A service then builds without that source, or reports that it cannot build.
 */
async function writeNextIndex({ store, root }: Place, next: SnapshotRow, now: number): Promise<SavedIndexRow | null> {
  const board = BOARD_NAMES.find((name) => includes(BOARDS[name], next.sourceId))
  if (!board) return null
  const { actives, saved } = await store.read(function* () {
    return { actives: yield* activeSnapshots(), saved: yield* savedIndex(board) }
  })
  const before = actives.filter(({ sourceId }) => includes(BOARDS[board], sourceId))
  const others = before.filter(({ sourceId }) => sourceId !== next.sourceId)
  const rows = [...others, next].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const held = preparedLists({ root, now, lists: before.map((row) => ({ row, held: null })) }, saved)
  const lists = rows.map((row) => ({ row, held: held.get(row.snapshotId) ?? null }))
  try {
    const built = buildIndex({ root, now, lists })
    if (built.outcomes.some(({ list }) => list === null)) return null
    return writeIndexFile(root, { board, key: indexKey(rows), builtAt: now }, built)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** By snapshot id: the lists of the index in use, if its file is usable. They are not read again. */
function preparedLists(task: IndexTask, saved: SavedIndexRow | null) {
  const isOfThese = saved?.key === indexKey(task.lists.map(({ row }) => row))
  const { index } = openSaved({ ...task, saved: isOfThese ? saved : null })
  return new Map((index?.outcomes ?? []).flatMap(({ list }) => (list ? [[list.snapshotId, list] as const] : [])))
}

/**
 * Makes the file that a running service wrote the valid one, unless the snapshots it was built from are no longer those of `generation`.
 * Returns the reason why not, or null.
 */
export async function keepWritten(
  { store, root }: Place,
  written: SavedIndexRow,
  generation: number,
): Promise<string | null> {
  try {
    const kept = await store.run(function* () {
      if ((yield* sourceGeneration()) !== generation) return null
      return { replaced: yield* putSavedIndex(written) }
    })
    const unused = kept ? kept.replaced : written
    if (unused && !(kept && unused.file === written.file)) removeIndexFile(root, unused.file)
    return kept ? null : "a source changed in the meantime"
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.reason
    throw error
  }
}

/** Removes files that no row names. Call it only under the import lock. */
export async function cleanIndexFolder({ store, root }: Place): Promise<void> {
  const kept = await store.read(function* () {
    const files: string[] = []
    for (const board of BOARD_NAMES) {
      const row = yield* savedIndex(board)
      if (row) files.push(row.file)
    }
    return files
  })
  removeOtherIndexFiles(root, new Set(kept))
}

const includes = (sources: readonly SourceId[], id: string): boolean => (sources as readonly string[]).includes(id)

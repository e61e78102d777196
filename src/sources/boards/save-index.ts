/**
 * Builds the index of a board and writes it to its file before another snapshot becomes active. The row of the file is written before the
 * unit that activates the snapshot, so a running service opens the file as soon as it sees the snapshot.
 */

import { errnoOf } from "../../base/system-fault.ts"
import { StoreUnavailable } from "../../store/engine/store-error.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { activeSnapshots, type SnapshotRow, sourceGeneration } from "../../store/sources/sources.ts"
import { BOARDS, type BoardName, type SourceId } from "../records/party.ts"
import { buildIndex, type IndexTask, openSaved } from "./build-index.ts"
import type { PreparedList } from "./built-index.ts"
import { removeIndexFile, removeOtherIndexFiles, type SavedIndexRow, writeIndexFile } from "./index-file.ts"
import { indexKey } from "./index-key.ts"
import type { ListTables } from "./list-tables.ts"
import { filesOfRow, putSavedIndex, removeFiles, savedFiles, savedIndex } from "./saved-index.ts"

const BOARD_NAMES = Object.keys(BOARDS) as BoardName[]

interface Place {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
}

/**
 * Makes `next` the active snapshot of its source, with its index saved before. If `activate` reports no change, returns false and leaves no
 * file. A process that is killed in between leaves both indexes; the next import removes the one that is not used. `tables`: those of `next`, if the
 * caller has them.
 */
export async function activateWithIndex(
  place: Place,
  next: SnapshotRow,
  now: number,
  { activate, tables }: { readonly activate: () => Unit<boolean>; readonly tables?: ListTables | undefined },
): Promise<boolean> {
  const { root } = place
  const index = await writeNextIndex(place, { next, tables }, now)
  if (!index) return await place.store.run(activate)
  const before = savedFiles(root, index.board)
  const replaced = savedIndex(root, index.board, index.key)
  putSavedIndex(root, index)
  const isActive = await place.store.run(activate)
  if (isActive) removeFiles(root, before, filesOfRow(index))
  else {
    if (replaced) putSavedIndex(root, replaced)
    removeFiles(root, filesOfRow(index), replaced ? filesOfRow(replaced) : [])
  }
  return isActive
}

/**
 * Writes the index file in which `next` replaces its source's active snapshot. Returns null if a snapshot of the board cannot be read, or
 * if there are more names than one index can number. A service then builds without that source, or reports that it cannot build.
 */
async function writeNextIndex(
  { store, root }: Place,
  { next, tables }: { readonly next: SnapshotRow; readonly tables: ListTables | undefined },
  now: number,
): Promise<SavedIndexRow | null> {
  const board = BOARD_NAMES.find((name) => includes(BOARDS[name], next.sourceId))
  if (!board) return null
  const before = ofBoard(board, await store.read(activeSnapshots))
  const others = before.filter(({ sourceId }) => sourceId !== next.sourceId)
  const rows = [...others, next].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const held = preparedLists({ root, now, lists: before.map((row) => ({ row, held: null })) }, board)
  if (tables) held.set(next.snapshotId, { snapshotId: next.snapshotId, ...tables })
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
function preparedLists(task: IndexTask, board: BoardName): Map<string, PreparedList> {
  const saved = savedIndex(task.root, board, indexKey(task.lists.map(({ row }) => row)))
  const { index } = openSaved({ ...task, saved })
  return new Map((index?.outcomes ?? []).flatMap(({ list }) => (list ? [[list.snapshotId, list] as const] : [])))
}

/**
 * Writes the row of the file that a running service wrote, unless the snapshots it was built from are no longer those of `generation`.
 * Returns the reason why not, or null.
 */
export async function keepWritten(
  { store, root }: Place,
  written: SavedIndexRow,
  generation: number,
): Promise<string | null> {
  try {
    const before = savedFiles(root, written.board)
    if ((await store.read(sourceGeneration)) !== generation) {
      if (!before.includes(written.file)) removeIndexFile(root, written.file)
      return "a source changed in the meantime"
    }
    putSavedIndex(root, written)
    removeFiles(root, before, filesOfRow(written))
    return null
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.reason
    if (error instanceof Error && errnoOf(error) !== null) return error.message
    throw error
  }
}

/** Removes all files but those of the indexes of the active snapshots. Call it only under the import lock. */
export async function cleanIndexFolder({ store, root }: Place): Promise<void> {
  const actives = await store.read(activeSnapshots)
  const rows = BOARD_NAMES.flatMap((board) => savedIndex(root, board, indexKey(ofBoard(board, actives))) ?? [])
  removeOtherIndexFiles(root, new Set(rows.flatMap(filesOfRow)))
}

const ofBoard = (board: BoardName, rows: readonly SnapshotRow[]) =>
  rows.filter(({ sourceId }) => includes(BOARDS[board], sourceId))

const includes = (sources: readonly SourceId[], id: string): boolean => (sources as readonly string[]).includes(id)

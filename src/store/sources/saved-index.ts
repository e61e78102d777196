/** The file that holds the built index of a board, and the digest of its bytes. */

import type { Unit } from "../engine/unit.ts"
import { metaValue, putMeta } from "../meta.ts"

export type SavedBoard = "US" | "GB"

export interface SavedIndexRow {
  readonly board: SavedBoard
  /** Digest of the snapshots and of the program it was built from. */
  readonly key: string
  /** Name in the folder of indexes. */
  readonly file: string
  readonly bytes: number
  /** `sha256:` and hex, of the whole file. */
  readonly sha256: string
}

export function* savedIndex(board: SavedBoard): Unit<SavedIndexRow | null> {
  const value = yield* metaValue(`saved_index_${board}`)
  return value === null ? null : (JSON.parse(value) as SavedIndexRow)
}

/** Returns the replaced row. Its file may be removed after the commit. */
export function* putSavedIndex(row: SavedIndexRow): Unit<SavedIndexRow | null> {
  const replaced = yield* savedIndex(row.board)
  yield* putMeta(`saved_index_${row.board}`, JSON.stringify(row))
  return replaced
}

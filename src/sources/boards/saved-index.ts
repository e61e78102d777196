/**
 * The row of a saved index: a small file beside the file that holds the index. Its name has the key of the index, so a reader finds the row of
 * exactly the index that it needs, and the row of the next index can be written while the one in use stays. An index whose row is missing or
 * damaged is built again.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { errnoOf } from "../../base/system-fault.ts"
import { BOARDS, type BoardName } from "../records/party.ts"
import { INDEX_FOLDER, ROW_SUFFIX, removeIndexFile, type SavedIndexRow, writeIn } from "./index-file.ts"

/** Null: no row of this index can be used. */
export function savedIndex(root: string, board: BoardName, key: string): SavedIndexRow | null {
  const row = readRow(root, rowName(board, key))
  return row?.board === board && row.key === key ? row : null
}

/** Writes the row durably, in place of an earlier one of the same index. The file that it names must be there. */
export function putSavedIndex(root: string, row: SavedIndexRow): void {
  writeIn(root, rowName(row.board, row.key), [JSON.stringify(row)])
}

/** The files of the row: its own and the one it names. */
export function filesOfRow({ board, key, file }: SavedIndexRow): readonly string[] {
  return [rowName(board, key), file]
}

/** The files of every row of the board, and of rows that cannot be read. */
export function savedFiles(root: string, board: BoardName): readonly string[] {
  const names = namesIn(root).filter((name) => name.startsWith(`${board}-`) && name.endsWith(ROW_SUFFIX))
  return [...names, ...names.flatMap((name) => readRow(root, name)?.file ?? [])]
}

/** Removes these files of the folder, except those of `kept`. Rows go first: none then names a file that is gone. */
export function removeFiles(root: string, files: readonly string[], kept: readonly string[]): void {
  const unused = files.filter((file) => !kept.includes(file))
  for (const file of unused.filter((name) => name.endsWith(ROW_SUFFIX))) removeIndexFile(root, file)
  for (const file of unused.filter((name) => !name.endsWith(ROW_SUFFIX))) removeIndexFile(root, file)
}

function rowName(board: BoardName, key: string): string {
  return `${board}-${key.slice("sha256:".length, "sha256:".length + 32)}${ROW_SUFFIX}`
}

function readRow(root: string, name: string): SavedIndexRow | null {
  let row: Partial<SavedIndexRow> | null
  try {
    row = JSON.parse(readFileSync(join(root, INDEX_FOLDER, name), "utf8")) as Partial<SavedIndexRow> | null
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) !== null) return null
    throw error
  }
  const isWhole =
    typeof row?.key === "string" &&
    Object.hasOwn(BOARDS, row.board ?? "") &&
    /^[A-Z]{2}-[0-9a-f]{32}\.index$/.test(row.file ?? "") &&
    Number.isSafeInteger(row.bytes) &&
    typeof row.sha256 === "string"
  return isWhole ? (row as SavedIndexRow) : null
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(join(root, INDEX_FOLDER))
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return []
    throw error
  }
}

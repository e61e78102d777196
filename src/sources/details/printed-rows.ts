/**
 * The rows of a CSV text as the publisher wrote them. A list is parsed without its unseen characters, such as a joiner inside a word; a person
 * is shown the row with them.
 */
import { readCsv } from "../formats/csv-rows.ts"
import { hasUnseen } from "../records/unseen-characters.ts"

/** Returns the cells of a row as written. `line` is the row's line, `cells` are its cells as the parser read them. */
export type PrintedCells = (cells: readonly string[], line: number) => readonly string[]

/** `written` is the text of the file, `read` is the text that is parsed. They have the same lines. */
export function printedRows(written: string, read: string): PrintedCells {
  if (written === read) return (cells) => cells
  const rows = new Map<number, readonly string[]>()
  readCsv(written, (cells, line) => {
    if (cells.some(hasUnseen)) rows.set(line, cells)
  })
  return (cells, line) => {
    const printed = rows.get(line)
    return printed?.length === cells.length ? printed : cells
  }
}

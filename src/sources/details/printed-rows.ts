/**
 * The rows of a CSV text as the publisher wrote them. A list is parsed without its unseen characters, such as a joiner inside a word; a person
 * is shown the row with them.
 */
import { linesWithin, readCsv } from "../formats/csv-rows.ts"

/** Returns the cells of a row as written. `line` is the row's line, `cells` are its cells as the parser read them. */
export type PrintedCells = (cells: readonly string[], line: number) => readonly string[]

/** `written` is the text of the file, `read` is the text that is parsed. They have the same lines. */
export function printedRows(written: string, read: string): PrintedCells {
  if (written === read) return (cells) => cells
  const writtenLines = written.split("\n")
  const readLines = read.split("\n")
  return (cells, line) => {
    const lines = cells.reduce((count, cell) => count + linesWithin(cell, 0, cell.length), 1)
    const rowOf = (all: readonly string[]) => all.slice(line - 1, line - 1 + lines).join("\n")
    const row = rowOf(writtenLines)
    if (row === rowOf(readLines)) return cells
    let printed = cells
    readCsv(`${row}\n`, (found) => {
      printed = found
    })
    return printed.length === cells.length ? printed : cells
  }
}

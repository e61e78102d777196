/**
 * A strict RFC 4180 reader that gives the line of every row and of every fault. It reports a faulty row with its text and continues at the
 * next line, so that one bad quote does not hide the parties after it.
 *
 * Tests use `csv-parse` as the second implementation. The code does not use it, because it reports one faulty row as several faults without
 * the row's text, and took four times as long on the SDN list.
 */

export interface CsvFault {
  readonly line: number
  readonly why: string
  /** The physical line, without its line end. */
  readonly text: string
}

export interface CsvReading {
  readonly faults: readonly CsvFault[]
  /** The text ended inside a quoted cell, so the rows after that quote are unknown. */
  readonly endedInsideQuotes: boolean
  /** The last row ended with a line feed. */
  readonly endedWithNewline: boolean
  readonly lastLine: number
}

/** Above this number of faults the text is not CSV. Reading stops; the faults alone already reject the file. */
const FAULTS_MAX = 1000

const QUOTE = 34
const COMMA = 44
const LF = 10
const CR = 13

type Cell = { readonly value: string; readonly next: number } | "OPEN" | "FAULT"

/** Calls `onRow` for each well-formed row. A blank line is a row with one empty cell. */
export function readCsv(text: string, onRow: (cells: string[], line: number) => void): CsvReading {
  const faults: CsvFault[] = []
  let at = 0
  let line = 1
  let endedInsideQuotes = false
  while (at < text.length && faults.length < FAULTS_MAX) {
    const start = at
    const cells: string[] = []
    let fault = false
    for (;;) {
      const cell = text.charCodeAt(at) === QUOTE ? quotedCell(text, at) : plainCell(text, at)
      if (cell === "OPEN") endedInsideQuotes = true
      if (cell === "OPEN" || cell === "FAULT") {
        fault = true
        break
      }
      cells.push(cell.value)
      at = cell.next
      if (text.charCodeAt(at) !== COMMA) break
      at += 1
    }
    if (fault) {
      const end = lineEnd(text, start)
      faults.push({
        line,
        why: endedInsideQuotes ? "quote never closed" : "bad quoting",
        text: text.slice(start, end).replace(/\r$/, ""),
      })
      if (endedInsideQuotes) break
      at = end + 1
      line += 1
      continue
    }
    onRow(cells, line)
    line += linesWithin(text, start, at) + 1
    if (text.charCodeAt(at) === CR) at += 1
    at += 1
  }
  return { faults, endedInsideQuotes, endedWithNewline: text.endsWith("\n"), lastLine: line - 1 }
}

function plainCell(text: string, start: number): Cell {
  let at = start
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === LF) break
    if (code === QUOTE) return "FAULT"
  }
  const end = text.charCodeAt(at) === LF && at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at
  return { value: text.slice(start, end), next: end }
}

function quotedCell(text: string, start: number): Cell {
  let at = start + 1
  let doubled = false
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return "OPEN"
    if (text.charCodeAt(quote + 1) !== QUOTE) {
      const raw = text.slice(start + 1, quote)
      return endsCell(text, quote + 1) ? { value: doubled ? raw.replaceAll('""', '"') : raw, next: quote + 1 } : "FAULT"
    }
    doubled = true
    at = quote + 2
  }
}

function endsCell(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return at >= text.length || code === COMMA || code === LF || (code === CR && text.charCodeAt(at + 1) === LF)
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

/** Counts line feeds. */
export function linesWithin(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) lines += 1
  return lines
}

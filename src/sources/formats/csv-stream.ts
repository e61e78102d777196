/** Reads a CSV file of any length as blocks of rows with the strict reader of `csv-rows`. Holds one chunk and one unfinished row. */
import { isUtf8 } from "node:buffer"
import { readCsv } from "./csv-rows.ts"

export interface CsvRow {
  readonly cells: readonly string[]
  /** Number of the row's first line, from 1. */
  readonly line: number
}

/** The first row that cannot be read. The rows before it were already emitted. */
export class CsvBroken extends Error {
  constructor(
    readonly line: number,
    why: string,
  ) {
    super(why)
  }
}

/** Limit for one row. Without it an unclosed quote would read the rest of the file into memory as one cell. */
export const ROW_BYTES_MAX = 64 * 1024

const QUOTE = 34
const LF = 10
const BYTE_ORDER_MARK = "\ufeff"
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Throws {@link CsvBroken} after the last good row. Accepts LF or CRLF line ends, and UTF-8 with or without a byte order mark. */
export async function* streamCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly CsvRow[]> {
  let unfinished: Uint8Array = new Uint8Array(0)
  let quoted = false
  let line = 1
  for await (const chunk of chunks) {
    let end = 0
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === QUOTE) quoted = !quoted
      else if (chunk[at] === LF && !quoted) end = at + 1
    }
    if (end === 0) unfinished = Buffer.concat([unfinished, chunk])
    else {
      line = yield* rowsOf(Buffer.concat([unfinished, chunk.subarray(0, end)]), line)
      // Copy, because the file reader may reuse the chunk's memory.
      unfinished = chunk.slice(end)
    }
    if (unfinished.length > ROW_BYTES_MAX)
      throw new CsvBroken(line, `the row is longer than ${ROW_BYTES_MAX} bytes; close its quote`)
  }
  if (unfinished.length > 0) yield* rowsOf(unfinished, line)
}

/** Yields whole rows and returns the number of the line after them. */
function* rowsOf(bytes: Uint8Array, firstLine: number): Generator<readonly CsvRow[], number> {
  const readable = isUtf8(bytes) ? bytes : bytes.subarray(0, startOfForeignRow(bytes))
  const decoded = decoder.decode(readable)
  const text = firstLine === 1 && decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded
  const rows: CsvRow[] = []
  const reading = readCsv(text, (cells, line) => rows.push({ cells, line: firstLine + line - 1 }))
  const [fault] = reading.faults
  const faultLine = fault ? firstLine + fault.line - 1 : null
  yield faultLine === null ? rows : rows.filter(({ line }) => line < faultLine)
  if (fault && faultLine !== null) throw new CsvBroken(faultLine, `${fault.why}; write a quote inside quotes twice`)
  const nextLine = firstLine + reading.lastLine
  if (readable !== bytes) throw new CsvBroken(nextLine, "the row is not UTF-8; save the file as UTF-8")
  return nextLine
}

/** Returns the start of the first row that is not UTF-8. The caller has checked that the block contains one. */
function startOfForeignRow(bytes: Uint8Array): number {
  let start = 0
  let quoted = false
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) quoted = !quoted
    if (bytes[at] !== LF || quoted) continue
    if (!isUtf8(bytes.subarray(start, at + 1))) return start
    start = at + 1
  }
  return start
}

/**
 * Reads a CSV file of any length row by row, by the rules of `csv-rows`. Fast path: nearly all rows have no quote inside their cells and
 * are split at once; other rows go to the strict reader. Holds one chunk and one unfinished row. A faulty row is counted, and reading
 * continues at the next line.
 */
import { isUtf8 } from "node:buffer"
import type { RowProblem } from "../records/findings.ts"
import { readCsv } from "./csv-rows.ts"
import { ROW_BYTES_MAX } from "./csv-stream.ts"

export interface CsvScan {
  /** Number of rows that could not be read. The first few are listed by line. */
  readonly faults: number
  readonly firstFaults: readonly RowProblem[]
  /** Too many faults for a CSV file; the rest was not read. */
  readonly stopped: boolean
  readonly endedInsideQuotes: boolean
  readonly endedWithNewline: boolean
  /** Some bytes are not UTF-8 and were replaced. */
  readonly hasForeignBytes: boolean
}

/** Reading stops above this number. Below it, the caller judges the share of faulty rows. */
const FAULTS_MAX = 20_000
const FAULTS_NAMED = 6

const QUOTE = 34
const LF = 10
const CR = 13
const BYTE_ORDER_MARK = "\ufeff"

export async function scanCsv(
  chunks: AsyncIterable<Uint8Array>,
  onRow: (cells: readonly string[], line: number) => void,
): Promise<CsvScan> {
  const scanner = new Scanner(onRow)
  for await (const chunk of chunks) {
    scanner.add(chunk)
    if (scanner.stopped) break
  }
  return scanner.end()
}

class Scanner {
  private rest: Uint8Array = new Uint8Array(0)
  /** Lines of a row whose quotes are still open, each with its line end. */
  private open: string[] = []
  private openLength = 0
  private line = 1
  private faults = 0
  private readonly firstFaults: RowProblem[] = []
  private foreign = false
  private started = false

  constructor(private readonly onRow: (cells: readonly string[], line: number) => void) {}

  get stopped(): boolean {
    return this.faults > FAULTS_MAX
  }

  add(chunk: Uint8Array): void {
    // A line feed byte is never part of another UTF-8 character, so whole lines can be decoded separately.
    const end = chunk.lastIndexOf(LF) + 1
    if (end === 0) {
      this.rest = Buffer.concat([this.rest, chunk])
      if (this.rest.length > ROW_BYTES_MAX) this.tooLong()
      return
    }
    const lines = this.rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([this.rest, chunk.subarray(0, end)])
    // Copy, because the file reader may reuse the chunk's memory.
    this.rest = chunk.slice(end)
    this.readLines(this.decode(lines))
  }

  end(): CsvScan {
    const wholeLines = this.started
    const last = this.stopped ? "" : this.decode(this.rest)
    if (last !== "") this.readSlow(last)
    for (let held = 0; this.open.length !== held; ) {
      held = this.open.length
      this.settle()
    }
    const endedInsideQuotes = this.open.length > 0 && !this.stopped
    return {
      faults: this.faults,
      firstFaults: this.firstFaults,
      stopped: this.stopped,
      endedInsideQuotes,
      endedWithNewline: wholeLines && last === "",
      hasForeignBytes: this.foreign,
    }
  }

  private decode(bytes: Uint8Array): string {
    if (!isUtf8(bytes)) this.foreign = true
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
    const isFirst = !this.started
    this.started = true
    return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }

  private readLines(text: string): void {
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf("\n", at)
      if (this.open.length > 0 || !this.readPlain(text, at, end)) this.readSlow(text.slice(at, end + 1))
      if (this.stopped) return
      at = end + 1
    }
  }

  /**
   * Returns true if the line is a row without a quote inside its cells. INVARIANT: gives the same result as `readCsv` for the same line.
   */
  private readPlain(text: string, start: number, lineFeed: number): boolean {
    const end = lineFeed > start && text.charCodeAt(lineFeed - 1) === CR ? lineFeed - 1 : lineFeed
    if (text.charCodeAt(start) !== QUOTE) return this.readBare(text.slice(start, end))
    if (end - start < 2 || text.charCodeAt(end - 1) !== QUOTE) return false
    const cells = text.slice(start + 1, end - 1).split('","')
    for (const cell of cells) if (cell.includes('"')) return false
    this.give(cells)
    return true
  }

  private readBare(row: string): boolean {
    if (row.includes('"')) return false
    this.give(row.split(","))
    return true
  }

  private give(cells: readonly string[]): void {
    this.onRow(cells, this.line)
    this.line += 1
  }

  private readSlow(line: string): void {
    const continues = this.open.length > 0
    this.open.push(line)
    this.openLength += line.length
    // An even number of quotes rarely ends an open cell. So parse the row again only when it may have ended, or at the end.
    if (!continues || !isEven(line) || this.openLength > ROW_BYTES_MAX) this.settle()
  }

  /** Emits the held row, counts it as faulty, or leaves it open. */
  private settle(): void {
    const taken = this.open
    const rows: string[][] = []
    const reading = readCsv(taken.join(""), (cells) => rows.push(cells))
    const [fault] = reading.faults
    const isOpen = reading.endedInsideQuotes && reading.faults.length === 1
    if (isOpen && this.openLength <= ROW_BYTES_MAX) return
    this.open = []
    this.openLength = 0
    if (!fault) {
      for (const cells of rows) this.onRow(cells, this.line)
      this.line += taken.length
      return
    }
    this.fault(fault.why)
    // Same as the strict reader: parse the lines that the broken row took in again from its second line. Nothing of them was counted.
    for (const again of taken.slice(1)) {
      if (this.stopped) return
      this.readSlow(again)
    }
  }

  private fault(why: string): void {
    this.faults += 1
    if (this.firstFaults.length < FAULTS_NAMED) this.firstFaults.push({ line: this.line, why })
    this.line += 1
  }

  /** The line has no end within the limit: drop the held bytes and continue after the next line feed. */
  private tooLong(): void {
    this.faults = FAULTS_MAX + 1
    this.firstFaults.push({ line: this.line, why: `no line end within ${ROW_BYTES_MAX} bytes` })
    this.rest = new Uint8Array(0)
  }
}

function isEven(line: string): boolean {
  let even = true
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) even = !even
  return even
}

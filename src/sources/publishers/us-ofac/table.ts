/**
 * Reads one OFAC CSV: checks end mark, columns and keys, and removes nulls and padding. Source: Treasury's data specification of
 * 09/25/2023.
 */

import { printedRows } from "../../details/printed-rows.ts"
import { type CsvReading, readCsv } from "../../formats/csv-rows.ts"
import type { Finding, SourceFile } from "../../records/adapter.ts"
import { hard, type RowProblem, rowFindings, soft } from "../../records/findings.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import { decodeText, notCsv } from "../../records/source-text.ts"
import type { ReadText } from "../../records/unseen-characters.ts"
import { countCell } from "./words.ts"

export interface Row {
  readonly line: number
  /** ent_num, the entry's key in all four files. */
  readonly key: number
  /** Every column, `""` for the null token. */
  readonly cells: readonly string[]
  /** The cells with the characters that the parser does not read, if the row has any. */
  readonly printed?: readonly string[]
}

export interface Table {
  readonly file: string
  readonly rows: readonly Row[]
  readonly findings: readonly Finding[]
}

interface TableShape {
  readonly columns: number
  /** Without the end mark a file may be cut anywhere. In practice only the comments file comes without it. */
  readonly endMarkRequired: boolean
}

export const PRIMARY: TableShape = { columns: 12, endMarkRequired: true }
export const ADDRESSES: TableShape = { columns: 6, endMarkRequired: true }
export const ALIASES: TableShape = { columns: 5, endMarkRequired: true }
export const COMMENTS: TableShape = { columns: 2, endMarkRequired: false }

/** Ctrl-Z, the last byte of every CSV that OFAC serves. */
const END_MARK = 0x1a
const NULL_TOKEN = "-0-"
const FILE_BYTES_MAX = 128 * 1024 * 1024
const KEY = /^\d{1,10}$/

export function readTable(file: SourceFile, shape: TableShape, readText: ReadText, words: WordCounts): Table {
  const refusal = notCsv(file, FILE_BYTES_MAX)
  if (refusal) return { file: file.name, rows: [], findings: [refusal] }
  const marked = file.bytes[file.bytes.length - 1] === END_MARK
  const decoded = decodeText(marked ? file.bytes.subarray(0, -1) : file.bytes, file.name)
  const text = readText(decoded.text)
  const findings = [...decoded.findings]
  if (!marked) {
    const detail = "the last byte is not the end mark 0x1A"
    findings.push(
      shape.endMarkRequired ? hard("TRUNCATED", detail, file.name) : soft("END_UNPROVEN", detail, file.name),
    )
  }

  const rows: Row[] = []
  const problems: RowProblem[] = []
  let headerSeen = false
  const printed = printedRows(decoded.text, text)
  const reading = readCsv(text, (cells, line) => {
    if (line === 1 && /^ent_num$/i.test(cells[0]?.trim() ?? "")) {
      headerSeen = true
      return
    }
    for (const cell of cells) countCell(words, cell)
    const row = readRow({ cells, printed: printed(cells, line) }, line, shape.columns)
    if ("why" in row) problems.push(row)
    else rows.push(row)
  })
  if (headerSeen)
    findings.push(soft("HEADER_LINE", "OFAC publishes without a header: someone saved this file again", file.name))
  if (text !== "") findings.push(...endFindings(reading, file.name))
  findings.push(...rowFindings(file.name, rows.length, [...reading.faults, ...problems], false))
  if (rows.length === 0 && shape.endMarkRequired) findings.push(hard("TRUNCATED", "no rows", file.name))
  return { file: file.name, rows, findings }
}

function readRow(
  { cells, printed }: Required<Pick<Row, "cells" | "printed">>,
  line: number,
  columns: number,
): Row | RowProblem {
  if (cells.length !== columns) return { line, why: `${cells.length} columns, not ${columns}` }
  const key = (cells[0] ?? "").trim()
  if (!KEY.test(key)) return { line, why: "no entry number" }
  const cleaned = (row: readonly string[]) => row.map((cell, index) => clean(cell, index === columns - 1))
  const row = { line, key: Number(key), cells: cleaned(cells) }
  return printed === cells ? row : { ...row, printed: cleaned(printed) }
}

/** The last column holds remarks, which are cut at a fixed length. A space at the cut separates two words and must stay. */
function clean(cell: string, isRemark: boolean): string {
  const text = cell.trim()
  if (text === NULL_TOKEN) return ""
  return isRemark ? cell : text
}

function endFindings(reading: CsvReading, file: string): Finding[] {
  if (reading.endedInsideQuotes) return [hard("TRUNCATED", "ends inside a quoted cell", file)]
  return reading.endedWithNewline ? [] : [hard("TRUNCATED", "the last row has no line end", file)]
}

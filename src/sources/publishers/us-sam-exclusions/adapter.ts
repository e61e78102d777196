/** GSA's daily extract of all active exclusions from federal procurement and assistance. */

import { digestBytes } from "../../../core/digest.ts"
import { type PrintedCells, printedRows } from "../../details/printed-rows.ts"
import { type CsvFault, type CsvReading, readCsv } from "../../formats/csv-rows.ts"
import type { EmitDetails, Finding, Parsed, SourceAdapter, SourceFile } from "../../records/adapter.ts"
import { type Columns, findColumns } from "../../records/columns.ts"
import { hard, nameLines, type RowProblem, rowFindings, soft } from "../../records/findings.ts"
import { LIST_ROWS } from "../../records/list-rows.ts"
import type { Party } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import { decodeText } from "../../records/source-text.ts"
import type { ReadText } from "../../records/unseen-characters.ts"
import { contentVersion } from "../content-version.ts"
import { countParties } from "../count-parties.ts"
import { earlierParsers, parseBothWays, readDetails } from "../parse-both-ways.ts"
import { parsed } from "../reading.ts"
import { SamDetails } from "./details.ts"
import { type Extract, openExtract, timestampOfDay } from "./extract.ts"
import { joinAddresses, joinExclusions } from "./join-exclusions.ts"
import { NewestDay } from "./published-day.ts"
import {
  isFurtherAddress,
  repeatsOfac,
  SAM_COLUMNS,
  type SamRecord,
  samMeasure,
  samName,
  samParty,
  samType,
} from "./record.ts"
import { countSamWords, SAM_WORDS, samWordCounts } from "./words.ts"

/** A fifth below the 168,000 rows of 2026-09-05. GSA's own sample has 10,000. */
const EXPECTED_ROWS_MIN = 134_000

export const usSamExclusions: SourceAdapter = {
  id: "US_SAM_EXCLUSIONS",
  parserVersion: LIST_ROWS.US_SAM_EXCLUSIONS.parserVersion,
  sourceUrl: "https://sam.gov/api/prod/fileextractservices/v1/api/listfiles?domain=Exclusions/Public%20V2",
  windows: LIST_ROWS.US_SAM_EXCLUSIONS.windows,
  licence: LIST_ROWS.US_SAM_EXCLUSIONS.licence,
  shrinkFloor: 0.8,
  words: SAM_WORDS,
  canaries: [],
  parse: parseBothWays(parse),
  detailsVersion: LIST_ROWS.US_SAM_EXCLUSIONS.detailsVersion,
  details: readDetails(parse),
  earlierParsers: earlierParsers(LIST_ROWS.US_SAM_EXCLUSIONS, parse),
}

interface Rows {
  columns: Columns<keyof typeof SAM_COLUMNS> | null
  count: number
  mirrored: number
  /** Line of the last row with a wrong number of columns. */
  shortLine: number
  readonly parties: Party[]
  readonly mirroredIds: Set<string>
  /** Rows that only carry an additional address of an entry. */
  readonly further: Party[]
  readonly problems: RowProblem[]
  readonly newest: NewestDay
  /** Null if no details are wanted. */
  readonly details: SamDetails | null
  readonly printed: PrintedCells
  readonly words: WordCounts
}

function parse(files: readonly SourceFile[], readText: ReadText, emit: EmitDetails | null): Parsed {
  const extract = openExtract(files)
  if ("code" in extract) return parsed({ parties: [], version: contentVersion(files, 0), findings: [extract] })
  const decoded = decodeText(extract.bytes, extract.file)
  const text = readText(decoded.text)
  const rows: Rows = {
    columns: null,
    count: 0,
    mirrored: 0,
    shortLine: 0,
    parties: [],
    mirroredIds: new Set(),
    further: [],
    problems: [],
    newest: new NewestDay(timestampOfDay(extract.day)),
    details: emit && new SamDetails(),
    printed: printedRows(decoded.text, text),
    words: samWordCounts(),
  }
  const reading = readCsv(text, (cells, line) => readRow(rows, cells, line, extract.file))
  const lost = reading.faults.filter((fault) => !repair(rows, fault, extract.file))
  const repaired = reading.faults.filter((fault) => !lost.includes(fault))
  const parties = withFurtherAddresses(rows)
  if (emit && rows.columns) {
    const ids = parties.map(({ entryId }) => entryId)
    rows.details?.emit(rows.columns.at, ids, emit)
  }
  const { timestamp, from } = rows.newest.published(rows.count >= EXPECTED_ROWS_MIN)
  return parsed({
    parties,
    counts: countParties(parties, { rows: rows.count, mirrored: rows.mirrored }),
    version: extract.day,
    timestamp,
    timestampFrom: from,
    words: rows.words,
    used: [extract.bytes],
    findings: [
      ...extract.findings,
      ...decoded.findings,
      ...(rows.columns?.findings ?? [hard("SCHEMA_BREAK", "no header line", extract.file)]),
      ...cutAtTheEnd(rows, { file: extract.file, text, reading, lost }),
      ...rowFindings(extract.file, rows.count, [...lost, ...rows.problems], true),
      ...(repaired.length > 0
        ? [soft("ROW_REPAIRED", `${repaired.length} rows quoted wrongly: ${nameLines(repaired)}`, extract.file)]
        : []),
      ...smallFindings(rows, extract),
      ...(timestamp === null ? [hard("SCHEMA_BREAK", "the day in the file name does not exist", extract.file)] : []),
    ],
  })
}

function readRow(rows: Rows, cells: readonly string[], line: number, file: string): void {
  if (rows.columns === null) {
    rows.columns = findColumns(cells, SAM_COLUMNS, file)
    rows.details?.setHeader(cells)
    return
  }
  rows.count += 1
  const { count, at } = rows.columns
  if (cells.length !== count) {
    rows.problems.push({ line, why: `${cells.length} columns, not ${count}` })
    rows.shortLine = line
    return
  }
  const record: SamRecord = (key) => (cells[at[key]] ?? "").trim()
  rows.newest.add(record)
  countSamWords(rows.words, record)
  if (repeatsOfac(record)) {
    rows.mirrored += 1
    rows.mirroredIds.add(record("samNumber"))
    return
  }
  if (samName(record) === "") {
    rows.problems.push({ line, why: "no name" })
    return
  }
  const entryId = record("samNumber") || derivedId(cells)
  const party = samParty(record, entryId, { file, number: line })
  rows.details?.add(entryId, rows.printed(cells, line))
  if (isFurtherAddress(record)) {
    rows.further.push(party)
    return
  }
  // A party of an unknown kind is kept, screened and held. Only the row is reported.
  if (samType(record("classification")) === null) rows.problems.push({ line, why: "unknown classification" })
  if (samMeasure(record("exclusionType")) === null) rows.problems.push({ line, why: "unknown exclusion type" })
  rows.parties.push(party)
}

/** An additional address of an OFAC entry is omitted with the entry. An address without an entry is screened as a party of its own. */
function withFurtherAddresses(rows: Rows): readonly Party[] {
  const ids = new Set(rows.parties.map((party) => party.entryId))
  const ofOfac = rows.further.filter((party) => !ids.has(party.entryId) && rows.mirroredIds.has(party.entryId))
  rows.mirrored += ofOfac.length
  const addresses = rows.further.filter((party) => ids.has(party.entryId))
  const alone = rows.further.filter((party) => !ids.has(party.entryId) && !rows.mirroredIds.has(party.entryId))
  return joinAddresses(joinExclusions([...rows.parties, ...alone]), addresses)
}

function derivedId(cells: readonly string[]): string {
  return `row:${digestBytes(cells.join("\n")).slice("sha256:".length, "sha256:".length + 16)}`
}

/**
 * GSA writes some comments with doubled outer quotes (`,""Text, more text."",`), ten times in its own sample. Every cell of this file is
 * quoted, so `","` still separates the columns. The row counts only if this gives every column.
 */
function repair(rows: Rows, fault: CsvFault, file: string): boolean {
  const { text } = fault
  if (rows.columns === null || !text.startsWith('"') || !text.endsWith('"') || text.length < 2) return false
  const cells = text.slice(1, -1).split('","')
  if (cells.length !== rows.columns.count) return false
  readRow(
    rows,
    cells.map((cell) => cell.replaceAll('""', '"')),
    fault.line,
    file,
  )
  return true
}

/** A CSV file that was read to its end. */
interface ReadFile {
  readonly file: string
  readonly text: string
  readonly reading: CsvReading
  /** The faults that could not be repaired. */
  readonly lost: readonly CsvFault[]
}

function cutAtTheEnd(rows: Rows, { file, text, reading, lost }: ReadFile): Finding[] {
  if (reading.endedInsideQuotes) return [hard("TRUNCATED", "ends inside a quoted cell", file)]
  const unreadable = rows.shortLine === reading.lastLine || lost.at(-1)?.line === reading.lastLine
  // Every cell is quoted, so a row that ends with a comma lost at least one cell.
  const unquoted = !/"\r?\n?$/.test(text.slice(-3))
  return unreadable || unquoted ? [hard("TRUNCATED", "the last row is not whole", file)] : []
}

function smallFindings(rows: Rows, extract: Extract): Finding[] {
  if (rows.count === 0) return [hard("TRUNCATED", "no rows", extract.file)]
  if (rows.count >= EXPECTED_ROWS_MIN) return []
  return [soft("BELOW_EXPECTED", `${rows.count} rows, at least ${EXPECTED_ROWS_MIN} are expected`, extract.file)]
}

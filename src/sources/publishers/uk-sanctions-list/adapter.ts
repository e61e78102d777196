/**
 * The Foreign Office's UK Sanctions List, since 28 January 2026 the only official one. The first line states the creation day, the second
 * has 58 columns. Then follows one row for each combination of an entry's names, addresses, birth dates and documents. The file has no
 * count and no end mark: a cut exactly between two rows is visible only against the last snapshot or a manifest.
 */

import { DetailRows } from "../../details/detail-rows.ts"
import { type PrintedCells, printedRows } from "../../details/printed-rows.ts"
import { type CsvReading, readCsv } from "../../formats/csv-rows.ts"
import type { EmitDetails, Finding, Parsed, SourceAdapter, SourceFile } from "../../records/adapter.ts"
import { type Columns, findColumns } from "../../records/columns.ts"
import { hard, nameLines, type RowProblem, rowFindings, soft } from "../../records/findings.ts"
import { LIST_ROWS } from "../../records/list-rows.ts"
import type { Party } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import { onlyCsv } from "../../records/source-text.ts"
import type { ReadText } from "../../records/unseen-characters.ts"
import { contentVersion } from "../content-version.ts"
import { countParties } from "../count-parties.ts"
import { earlierParsers, parseBothWays, readDetails } from "../parse-both-ways.ts"
import { parsed } from "../reading.ts"
import { UK_COLUMNS, type UkRecord } from "./columns.ts"
import { UkDetails } from "./details.ts"
import { rowProblem, UkEntry } from "./entry.ts"
import { earlierRegistrationNumbers, type ReadRegistrations, registrationNumbers } from "./identifiers.ts"
import { type ReportDate, reportDateOf } from "./report-date.ts"
import { countUkWords, UK_WORDS, ukWordCounts } from "./words.ts"

const FILE = "UK-Sanctions-List.csv"
const FILE_BYTES_MAX = 256 * 1024 * 1024

/** The minimum number of persons, organisations and ships that other readers of every publication accept. */
const EXPECTED_ENTRIES_MIN = 4000

export const ukSanctionsList: SourceAdapter = {
  id: "UK_SANCTIONS_LIST",
  parserVersion: LIST_ROWS.UK_SANCTIONS_LIST.parserVersion,
  sourceUrl: "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv",
  windows: LIST_ROWS.UK_SANCTIONS_LIST.windows,
  licence: LIST_ROWS.UK_SANCTIONS_LIST.licence,
  shrinkFloor: 0.9,
  words: UK_WORDS,
  canaries: [
    { entryId: "AFG0001", name: "HAJI KHAIRULLAH HAJI SATTAR MONEY EXCHANGE" },
    { entryId: "RUS0251", name: "Vladimir Vladimirovich PUTIN" },
  ],
  parse: parseBothWays(parseNow),
  detailsVersion: LIST_ROWS.UK_SANCTIONS_LIST.detailsVersion,
  details: readDetails(parseNow),
  earlierParsers: earlierParsers(LIST_ROWS.UK_SANCTIONS_LIST, (files, readText) =>
    parse(files, readText, { readRegistrations: earlierRegistrationNumbers, emit: null }),
  ),
}

function parseNow(files: readonly SourceFile[], readText: ReadText, emit: EmitDetails | null): Parsed {
  return parse(files, readText, { readRegistrations: registrationNumbers, emit })
}

interface Rows {
  reportDate: ReportDate | null
  columns: Columns<keyof typeof UK_COLUMNS> | null
  /** Goes from row to row. Null before the header line. */
  row: DetailRows<keyof typeof UK_COLUMNS> | null
  count: number
  /** By Unique ID, in the order of their first rows. */
  readonly entries: Map<string, UkEntry>
  readonly problems: RowProblem[]
  readonly readRegistrations: ReadRegistrations
  /** By Unique ID. Null if no details are wanted. */
  readonly details: Map<string, UkDetails> | null
  readonly printed: PrintedCells
  readonly words: WordCounts
}

interface Reader {
  readonly readRegistrations: ReadRegistrations
  /** Null if no details are wanted. */
  readonly emit: EmitDetails | null
}

function parse(files: readonly SourceFile[], readText: ReadText, { readRegistrations, emit }: Reader): Parsed {
  const csv = onlyCsv(files, FILE, { bytesMax: FILE_BYTES_MAX, readText })
  if ("refusal" in csv) {
    return parsed({ parties: [], version: contentVersion(files, 0), findings: [csv.refusal] })
  }
  const { file } = csv
  const rows: Rows = {
    ...{ reportDate: null, columns: null, row: null, count: 0, entries: new Map(), problems: [], readRegistrations },
    details: emit && new Map(),
    printed: printedRows(csv.written, csv.text),
    words: ukWordCounts(),
  }
  const reading = readCsv(csv.text, (cells, line) => readRow(rows, cells, line, file.name))
  const parties = partiesOf(rows)
  for (const { entryId } of emit ? parties : []) {
    const details = rows.details?.get(entryId)
    if (details) emit?.(details.build())
  }
  return parsed({
    parties,
    counts: countParties(parties, { rows: rows.count }),
    version: rows.reportDate?.version ?? contentVersion([file], rows.count),
    timestamp: rows.reportDate?.timestamp ?? null,
    words: rows.words,
    used: [file.bytes],
    findings: [
      ...csv.findings,
      ...(rows.reportDate ? [] : [hard("SCHEMA_BREAK", "the first line states no report date", file.name)]),
      ...(rows.columns?.findings ?? [hard("SCHEMA_BREAK", "no header line", file.name)]),
      ...endFindings(reading, rows.count, file.name),
      ...rowFindings(file.name, rows.count, [...reading.faults, ...rows.problems], true),
      ...unreadRegistrations(rows),
      ...(parties.length < EXPECTED_ENTRIES_MIN
        ? [soft("BELOW_EXPECTED", `${parties.length} entries, at least ${EXPECTED_ENTRIES_MIN} are expected`)]
        : []),
    ],
  })
}

function readRow(rows: Rows, cells: readonly string[], line: number, file: string): void {
  const isHeader = cells.some((cell) => cell.trim() === UK_COLUMNS.uniqueId.names[0])
  if (line === 1 && !isHeader) {
    rows.reportDate = reportDateOf(cells)
    return
  }
  if (rows.columns === null) {
    rows.columns = findColumns(cells, UK_COLUMNS, file)
    rows.row = new DetailRows(cells, rows.columns.at)
    return
  }
  rows.count += 1
  const { count, at } = rows.columns
  if (cells.length !== count) {
    rows.problems.push({ line, why: `${cells.length} columns, not ${count}` })
    return
  }
  const record: UkRecord = (key) => (cells[at[key]] ?? "").trim()
  const id = record("uniqueId")
  if (id === "") {
    rows.problems.push({ line, why: "no Unique ID" })
    return
  }
  const why = rowProblem(record)
  if (why !== null) rows.problems.push({ line, why })
  let entry = rows.entries.get(id)
  if (entry === undefined) {
    entry = new UkEntry(id, { file, number: line }, rows.readRegistrations)
    rows.entries.set(id, entry)
  }
  countUkWords(rows.words, record)
  entry.add(record, rows.words)
  if (rows.details === null || rows.row === null) return
  const details = rows.details.get(id) ?? new UkDetails(id)
  rows.details.set(id, details)
  rows.row.begin(rows.printed(cells, line))
  details.add(rows.row)
}

function partiesOf({ entries, problems }: Rows): readonly Party[] {
  return [...entries.values()].flatMap((entry) => {
    const party = entry.party()
    if (party === null) problems.push({ line: entry.line, why: "an entry without a name" })
    if (entry.typesDiffer) problems.push({ line: entry.line, why: "an entry of different designation types" })
    return party === null ? [] : [party]
  })
}

/** Such an entry is still screened by its names. */
function unreadRegistrations({ entries }: Rows): Finding[] {
  const unread = [...entries.values()].filter(({ hasUnreadRegistration }) => hasUnreadRegistration)
  if (unread.length === 0) return []
  const places = nameLines(unread.map(({ line }) => ({ line, why: "registration number" })))
  const what = "have digits in their registration cell of which no number is certain"
  return [soft("IDENTIFIER_UNREAD", `${unread.length} of ${entries.size} entries ${what}: ${places}`)]
}

function endFindings(reading: CsvReading, rows: number, file: string): Finding[] {
  if (reading.endedInsideQuotes) return [hard("TRUNCATED", "ends inside a quoted cell", file)]
  if (!reading.endedWithNewline) return [hard("TRUNCATED", "the last row has no line end", file)]
  if (rows === 0) return [hard("TRUNCATED", "no rows", file)]
  return [
    soft(
      "END_UNPROVEN",
      "the format has no end mark: a file cut between two rows is detected only by comparison",
      file,
    ),
  ]
}

/**
 * Commerce's Consolidated Screening List, for the lists of BIS and State. The file states neither date nor count. A cut inside a row is
 * detected here. A cut exactly between two rows is detected only by missing lists, by the guard against the last snapshot, or by the length
 * in the import manifest.
 */

import { DetailRows } from "../../details/detail-rows.ts"
import { printedRows } from "../../details/printed-rows.ts"
import { type CsvReading, readCsv } from "../../formats/csv-rows.ts"
import type { EmitDetails, Finding, Parsed, SourceAdapter, SourceFile } from "../../records/adapter.ts"
import { type Columns, findColumns } from "../../records/columns.ts"
import { hard, type RowProblem, rowFindings, soft } from "../../records/findings.ts"
import { LIST_ROWS } from "../../records/list-rows.ts"
import type { Party } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import { onlyCsv } from "../../records/source-text.ts"
import { uniqueIds } from "../../records/unique-ids.ts"
import type { ReadText } from "../../records/unseen-characters.ts"
import { contentVersion } from "../content-version.ts"
import { countParties } from "../count-parties.ts"
import { earlierParsers, parseBothWays, readDetails } from "../parse-both-ways.ts"
import { parsed } from "../reading.ts"
import { cslDetails } from "./details.ts"
import { listOfSource, SCREENED_CODES } from "./lists.ts"
import { CSL_COLUMNS, type CslRecord, cslParty, cslType } from "./record.ts"
import { CSL_WORDS, countCslWords, cslWordCounts } from "./words.ts"

const FILE = "consolidated.csv"
const FILE_BYTES_MAX = 256 * 1024 * 1024

/** The file never had fewer since it holds the six lists. */
const EXPECTED_ENTRIES_MIN = 3000

export const usTradeCsl: SourceAdapter = {
  id: "US_TRADE_CSL",
  parserVersion: LIST_ROWS.US_TRADE_CSL.parserVersion,
  sourceUrl: "https://data.trade.gov/downloadable_consolidated_screening_list/v1/consolidated.csv",
  windows: LIST_ROWS.US_TRADE_CSL.windows,
  licence: LIST_ROWS.US_TRADE_CSL.licence,
  shrinkFloor: 0.8,
  words: CSL_WORDS,
  canaries: [],
  parse: parseBothWays(parse),
  detailsVersion: LIST_ROWS.US_TRADE_CSL.detailsVersion,
  details: readDetails(parse),
  earlierParsers: earlierParsers(LIST_ROWS.US_TRADE_CSL, parse),
}

type CslColumns = Columns<keyof typeof CSL_COLUMNS>

interface Rows {
  header: readonly string[]
  columns: CslColumns | null
  count: number
  readonly parties: Party[]
  readonly mirrored: Readonly<Record<"US_OFAC_SDN" | "US_OFAC_CONSOLIDATED", string[]>>
  readonly problems: RowProblem[]
  /** The cells of each party's row, as written, if its details are wanted. */
  readonly printed: (readonly string[])[] | null
  readonly words: WordCounts
}

function parse(files: readonly SourceFile[], readText: ReadText, emit: EmitDetails | null): Parsed {
  const csv = onlyCsv(files, FILE, { bytesMax: FILE_BYTES_MAX, readText })
  if ("refusal" in csv) {
    return parsed({ parties: [], version: contentVersion(files, 0), findings: [csv.refusal] })
  }
  const { file } = csv
  const rows: Rows = {
    header: [],
    columns: null,
    count: 0,
    parties: [],
    mirrored: { US_OFAC_SDN: [], US_OFAC_CONSOLIDATED: [] },
    problems: [],
    printed: emit && [],
    words: cslWordCounts(),
  }
  const printed = printedRows(csv.written, csv.text)
  const reading = readCsv(csv.text, (cells, line) => {
    if (readRow(rows, cells, line, file.name)) rows.printed?.push(printed(cells, line))
  })
  const { parties, findings: repeated } = uniqueIds(rows.parties, file.name)
  if (emit) emitDetails(rows, parties, emit)
  const mirrors = (["US_OFAC_SDN", "US_OFAC_CONSOLIDATED"] as const).map((sourceId) => ({
    sourceId,
    entryIds: rows.mirrored[sourceId],
  }))
  const mirrored = mirrors.reduce((sum, { entryIds }) => sum + entryIds.length, 0)
  return parsed({
    parties,
    counts: countParties(parties, { rows: rows.count, mirrored }),
    version: contentVersion([file], rows.count),
    mirrors,
    words: rows.words,
    used: [file.bytes],
    findings: [
      ...csv.findings,
      ...(rows.columns?.findings ?? [hard("SCHEMA_BREAK", "no header line", file.name)]),
      ...endFindings(reading, file.name),
      ...rowFindings(file.name, rows.count, [...reading.faults, ...rows.problems], true),
      ...repeated,
      ...missingLists(parties, (rows.columns?.at.id ?? -1) >= 0, file.name),
      ...(parties.length < EXPECTED_ENTRIES_MIN
        ? [soft("BELOW_EXPECTED", `${parties.length} entries, at least ${EXPECTED_ENTRIES_MIN} are expected`)]
        : []),
    ],
  })
}

/** Returns whether the row is a party. */
function readRow(rows: Rows, cells: readonly string[], line: number, file: string): boolean {
  if (rows.columns === null) {
    rows.columns = findColumns(cells, CSL_COLUMNS, file)
    rows.header = cells
    return false
  }
  rows.count += 1
  const { count, at } = rows.columns
  if (cells.length !== count) {
    rows.problems.push({ line, why: `${cells.length} columns, not ${count}` })
    return false
  }
  const record: CslRecord = (key) => (cells[at[key]] ?? "").trim()
  countCslWords(rows.words, record)
  const list = listOfSource(record("source"))
  if (list === null) rows.problems.push({ line, why: "unknown list" })
  else if (list.kind === "mirror") rows.mirrored[list.of].push(record("entityNumber"))
  else if (record("name") === "") rows.problems.push({ line, why: "no name" })
  else {
    // A party of an unknown type is kept and screened. Only the row is reported.
    if (cslType(record("type")) === null) rows.problems.push({ line, why: "unknown type" })
    rows.parties.push(cslParty(record, list, { file, number: line }, rows.words))
    return true
  }
  return false
}

function emitDetails({ header, columns, printed }: Rows, parties: readonly Party[], emit: EmitDetails): void {
  if (columns === null) return
  const rows = new DetailRows(header, columns.at)
  for (const [at, { entryId }] of parties.entries()) {
    rows.begin(printed?.[at] ?? [])
    emit(cslDetails(rows, entryId))
  }
}

function endFindings(reading: CsvReading, file: string): Finding[] {
  if (reading.endedInsideQuotes) return [hard("TRUNCATED", "ends inside a quoted cell", file)]
  if (!reading.endedWithNewline) return [hard("TRUNCATED", "the last row has no line end", file)]
  return [
    soft(
      "END_UNPROVEN",
      "the format has no end mark: a file cut between two rows is detected only by comparison",
      file,
    ),
  ]
}

/** The file is ordered by list, so a cut between two rows loses whole lists. Files without `_id` have no MEU list. */
function missingLists(parties: readonly Party[], current: boolean, file: string): Finding[] {
  const present = new Set(parties.map((party) => party.list))
  const absent = SCREENED_CODES.filter((code) => !present.has(code))
  if (absent.length === 0) return []
  const tolerated = !current && absent.every((code) => code === "MEU")
  return [(tolerated ? soft : hard)("LIST_MISSING", `no rows of ${absent.join(", ")}`, file)]
}

/**
 * Commerce's Consolidated Screening List, for the lists of BIS and State. The file states neither date nor count. A cut inside a row is
 * detected here. A cut exactly between two rows is detected only by missing lists, by the guard against the last snapshot, or by the length
 * in the import manifest.
 */

import { type CsvReading, readCsv } from "../../formats/csv-rows.ts"
import type { Finding, Parsed, SourceAdapter, SourceFile } from "../../records/adapter.ts"
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
import { earlierParsers, parseBothWays } from "../parse-both-ways.ts"
import { parsed } from "../reading.ts"
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
  earlierParsers: earlierParsers(LIST_ROWS.US_TRADE_CSL, parse),
}

type CslColumns = Columns<keyof typeof CSL_COLUMNS>

interface Rows {
  columns: CslColumns | null
  count: number
  readonly parties: Party[]
  readonly mirrored: Readonly<Record<"US_OFAC_SDN" | "US_OFAC_CONSOLIDATED", string[]>>
  readonly problems: RowProblem[]
  readonly words: WordCounts
}

function parse(files: readonly SourceFile[], readText: ReadText): Parsed {
  const csv = onlyCsv(files, FILE, { bytesMax: FILE_BYTES_MAX, readText })
  if ("refusal" in csv) {
    return parsed({ parties: [], version: contentVersion(files, 0), findings: [csv.refusal] })
  }
  const { file } = csv
  const rows: Rows = {
    columns: null,
    count: 0,
    parties: [],
    mirrored: { US_OFAC_SDN: [], US_OFAC_CONSOLIDATED: [] },
    problems: [],
    words: cslWordCounts(),
  }
  const reading = readCsv(csv.text, (cells, line) => readRow(rows, cells, line, file.name))
  const { parties, findings: repeated } = uniqueIds(rows.parties, file.name)
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

function readRow(rows: Rows, cells: readonly string[], line: number, file: string): void {
  if (rows.columns === null) {
    rows.columns = findColumns(cells, CSL_COLUMNS, file)
    return
  }
  rows.count += 1
  const { count, at } = rows.columns
  if (cells.length !== count) {
    rows.problems.push({ line, why: `${cells.length} columns, not ${count}` })
    return
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

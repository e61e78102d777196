/** UK_COMPANIES_HOUSE from its monthly file: the live register, one row for each company. Finally dissolved companies are not in it. */
import { DAY, SECOND } from "../../../core/time.ts"
import { type CsvScan, scanCsv } from "../../formats/csv-scan.ts"
import { ZipFault } from "../../formats/zip-directory.ts"
import type { Finding } from "../../records/adapter.ts"
import { type Columns, findColumns } from "../../records/columns.ts"
import { countedRowFindings, hard, type RowProblem, soft } from "../../records/findings.ts"
import { openGovernmentLicence } from "../../records/licences.ts"
import type { RegisterAdapter, RegisterEntry, RegisterFile, RegisterReading } from "../../records/register-adapter.ts"
import { unpackedBytes } from "../plain-or-zipped.ts"
import { BULK_COLUMNS, type BulkColumn } from "./bulk-columns.ts"
import { type BulkFile, bulkSet } from "./bulk-files.ts"
import { BadRow, readRow } from "./bulk-record.ts"
import { normalizeCompanyNumber } from "./company-record.ts"

/** A fifth below the 5.7 million entries of 2026. */
const EXPECTED_ENTRIES_MIN = 4_560_000
/** Above this share of unknown statuses the publisher changed its vocabulary, and no company could be called active. */
const UNKNOWN_STATUS_SHARE_MAX = 0.01
const PROBLEMS_NAMED = 6
const PROGRESS_EVERY_ROWS = 2000
const DAY_SECONDS = DAY / SECOND

export const ukCompaniesHouse: RegisterAdapter = {
  id: "UK_COMPANIES_HOUSE",
  parserVersion: "uk-companies-house-bulk/1.1.0",
  sourceUrl: "https://download.companieshouse.gov.uk/en_output.html",
  keyScheme: "number",
  windows: { freshSeconds: 35 * DAY_SECONDS, staleSeconds: 45 * DAY_SECONDS, pollSeconds: 31 * DAY_SECONDS },
  licence: openGovernmentLicence("Companies House"),
  content: { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: false },
  shrinkFloor: 0.9,
  canonicalKey: (scheme, value) => (scheme === "number" ? normalizeCompanyNumber(value) : null),
  read,
}

type Emit = (entry: RegisterEntry) => void
type Progress = (rows: number, bytes: number) => void

async function read(files: readonly RegisterFile[], emit: Emit, progress: Progress): Promise<RegisterReading> {
  const set = bulkSet(files)
  const reading = new Reading(set.day, emit, progress)
  // Do not read a rejected set: minutes of reading would only describe files that do not belong together.
  for (const file of set.files) await reading.readFile(file)
  const findings = [...set.findings, ...reading.findings(files)]
  const contentName = files.map(({ sha256 }) => sha256.slice(0, 16)).sort()
  return {
    version: set.day ?? `${contentName[0] ?? ""}#${reading.rows}`,
    timestamp: set.day === null ? null : `${set.day}T00:00:00.000Z`,
    timestampFrom: "FILE_NAME",
    declaredRecords: null,
    rows: reading.rows,
    failed: reading.failed,
    counts: reading.counts(),
    findings,
  }
}

class Reading {
  rows = 0
  failed = 0
  private bytes = 0
  private unknownStatus = 0
  private unknownType = 0
  private readonly statuses = new Map<string, number>()
  private withPostCode = 0
  private withSicCode = 0
  private withPreviousName = 0
  private readonly found: Finding[] = []

  constructor(
    private readonly day: string | null,
    private readonly emit: Emit,
    private readonly progress: Progress,
  ) {}

  async readFile(bulk: BulkFile): Promise<void> {
    const file = bulk.file.name
    const part = new Part()
    const onRead = (bytes: number) => {
      this.bytes += bytes
    }
    try {
      const scan = await scanCsv(unpackedBytes(bulk, onRead), (cells, line) => this.readLine(part, cells, line, file))
      this.rows += scan.faults
      this.found.push(...endFindings(scan, part, file))
      if (bulk.entry === null && scan.endedWithNewline) {
        this.found.push(
          soft(
            "END_UNPROVEN",
            "a CSV file has no end mark: a file cut between two rows is detected only by comparison",
            file,
          ),
        )
      }
    } catch (error) {
      if (!(error instanceof ZipFault)) throw error
      this.found.push(hard(error.code, error.message, file))
    }
    this.failed += part.failed
    this.found.push(...countedRowFindings(file, part.rows, { count: part.failed, first: part.problems }, true))
  }

  private readLine(part: Part, cells: readonly string[], line: number, file: string): void {
    if (part.columns === null) {
      part.columns = findColumns(cells, BULK_COLUMNS, file)
      this.found.push(...part.columns.findings)
      return
    }
    part.rows += 1
    this.rows += 1
    if (this.rows % PROGRESS_EVERY_ROWS === 0) this.progress(this.rows, this.bytes)
    const { count, at } = part.columns
    if (cells.length !== count) {
      part.problem(line, `${cells.length} columns, not ${count}`)
      return
    }
    try {
      this.keep((column) => cells[at[column]] ?? "")
    } catch (error) {
      if (!(error instanceof BadRow)) throw error
      part.problem(line, error.message)
    }
  }

  private keep(cell: (column: BulkColumn) => string): void {
    const { record, unknownStatus, unknownType } = readRow(cell, this.day)
    if (unknownStatus) this.unknownStatus += 1
    if (unknownType) this.unknownType += 1
    const status = unknownStatus ? "other" : (record.company_status ?? "other")
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (record.registered_office_address.postal_code !== null) this.withPostCode += 1
    if (record.sic_codes.length > 0) this.withSicCode += 1
    if (record.previous_company_names.length > 0) this.withPreviousName += 1
    this.emit({ key: record.company_number, otherKeys: [], name: record.company_name, record })
  }

  counts(): Record<string, number> {
    const statuses = [...this.statuses].map(([status, count]) => [`status_${status}`, count] as const)
    return {
      with_postal_code: this.withPostCode,
      with_sic_code: this.withSicCode,
      with_previous_name: this.withPreviousName,
      ...Object.fromEntries(statuses),
    }
  }

  findings(files: readonly RegisterFile[]): Finding[] {
    const entries = this.rows - this.failed
    const findings = [...this.found]
    if (this.unknownStatus > 0) {
      const detail = `${this.unknownStatus} of ${entries} companies have a status this parser does not know; it is kept as written`
      const broken = this.unknownStatus > entries * UNKNOWN_STATUS_SHARE_MAX
      findings.push(broken ? hard("SCHEMA_BREAK", detail) : soft("UNKNOWN_WORD", detail))
    }
    if (this.unknownType > 0) {
      findings.push(
        soft("UNKNOWN_WORD", `${this.unknownType} of ${entries} companies have a type this parser does not know`),
      )
    }
    if (files.length > 0 && entries < EXPECTED_ENTRIES_MIN) {
      findings.push(soft("BELOW_EXPECTED", `${entries} companies, at least ${EXPECTED_ENTRIES_MIN} are expected`))
    }
    return findings
  }
}

class Part {
  columns: Columns<BulkColumn> | null = null
  rows = 0
  failed = 0
  readonly problems: RowProblem[] = []

  problem(line: number, why: string): void {
    this.failed += 1
    if (this.problems.length < PROBLEMS_NAMED) this.problems.push({ line, why })
  }
}

/** Also adds the rows that could not be split into cells to the counts of the part. */
function endFindings(scan: CsvScan, part: Part, file: string): Finding[] {
  part.rows += scan.faults
  part.failed += scan.faults
  for (const problem of scan.firstFaults) if (part.problems.length < PROBLEMS_NAMED) part.problems.push(problem)
  const findings: Finding[] = []
  if (scan.hasForeignBytes) findings.push(soft("ENCODING", "not UTF-8: unreadable bytes were replaced", file))
  if (scan.stopped) findings.push(hard("SCHEMA_BREAK", "not CSV: reading stopped after too many faults", file))
  else if (scan.endedInsideQuotes) findings.push(hard("TRUNCATED", "ends inside a quoted cell", file))
  else if (!scan.endedWithNewline) findings.push(hard("TRUNCATED", "the last row has no line end", file))
  else if (part.columns === null) findings.push(hard("SCHEMA_BREAK", "no header line", file))
  else if (part.rows === 0) findings.push(hard("TRUNCATED", "no rows", file))
  return findings
}

/** GLEIF_LEI: the level 1 golden copy in CSV. It holds every legal entity identifier ever issued, with its registration status. */
import { DAY, SECOND } from "../../../core/time.ts"
import { type CsvScan, scanCsv } from "../../formats/csv-scan.ts"
import { ZipFault } from "../../formats/zip-directory.ts"
import type { Finding } from "../../records/adapter.ts"
import { type Columns, findColumns } from "../../records/columns.ts"
import { isAlpha2 } from "../../records/country-codes.ts"
import { countedRowFindings, hard, type RowProblem, soft } from "../../records/findings.ts"
import { type IdentityRecord, NAME_LENGTH_MAX } from "../../records/identity-record.ts"
import type { RegisterAdapter, RegisterEntry, RegisterFile, RegisterReading } from "../../records/register-adapter.ts"
import { seenCell } from "../../records/unseen-characters.ts"
import { unpackedBytes } from "../plain-or-zipped.ts"
import { contentName, type SoleFile, soleFile } from "../sole-file.ts"
import { LEGAL_NAME_TYPES, LEI_COLUMNS, type LeiColumn, NAME_COLUMNS } from "./columns.ts"

const DAY_SECONDS = DAY / SECOND
/** A fifth below the 3.3 million entries of 2026. */
const EXPECTED_ENTRIES_MIN = 2_640_000
const PROBLEMS_NAMED = 6
const PROGRESS_EVERY_ROWS = 2000
const LEI_FORM = /^[0-9A-Z]{18}[0-9]{2}$/
/** `20261101-0800-gleif-goldencopy-lei2-golden-copy.csv`, three times a day. */
const NAME = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})-gleif-goldencopy-lei2/i
/** Registration statuses of a current LEI. LAPSED means that nobody confirmed the data for over a year. */
const CURRENT: ReadonlySet<string> = new Set(["ISSUED", "PENDING_TRANSFER", "PENDING_ARCHIVAL"])

export const gleifLei: RegisterAdapter = {
  id: "GLEIF_LEI",
  parserVersion: "gleif-lei/1.1.0",
  sourceUrl: "https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv",
  keyScheme: "lei",
  windows: { freshSeconds: 7 * DAY_SECONDS, staleSeconds: 30 * DAY_SECONDS, pollSeconds: DAY_SECONDS },
  licence: "CC0-1.0: public domain dedication (GLEIF)",
  shrinkFloor: 0.95,
  canonicalKey(scheme, value) {
    const key = value.trim().toUpperCase()
    return scheme === "lei" && LEI_FORM.test(key) ? key : null
  },
  read,
}

async function read(
  files: readonly RegisterFile[],
  emit: (entry: RegisterEntry) => void,
  progress: (rows: number, bytes: number) => void,
): Promise<RegisterReading> {
  const { sole, findings } = soleFile(files, {
    name: /\.csv$/i,
    what: "golden copy (.csv)",
    foreign: /^[<{[]/,
    bytesMax: 32 * 1024 * 1024 * 1024,
  })
  if (!sole) return { ...NOTHING, version: "", findings }
  const published = publishedBy(sole.name)
  const reading = new Reading(sole, emit, progress)
  const more = await reading.run()
  return {
    version: published ?? contentName(sole, reading.rows),
    timestamp: published,
    declaredRecords: null,
    rows: reading.rows,
    failed: reading.failed,
    counts: reading.counts(),
    findings: [...findings, ...more],
  }
}

const NOTHING = { timestamp: null, declaredRecords: null, rows: 0, failed: 0, counts: {} } as const

class Reading {
  rows = 0
  failed = 0
  private bytes = 0
  private current = 0
  private isBroken = false
  private columns: Columns<LeiColumn> | null = null
  private readonly problems: RowProblem[] = []

  constructor(
    private readonly sole: SoleFile,
    private readonly emit: (entry: RegisterEntry) => void,
    private readonly progress: (rows: number, bytes: number) => void,
  ) {}

  counts(): Record<string, number> {
    return { current: this.current, not_current: this.rows - this.failed - this.current }
  }

  async run(): Promise<Finding[]> {
    const { name } = this.sole.file
    const onRead = (bytes: number) => {
      this.bytes += bytes
    }
    try {
      const scan = await scanCsv(unpackedBytes(this.sole, onRead), (cells, line) => this.readRow(cells, line, name))
      return this.findings(scan, name)
    } catch (error) {
      if (!(error instanceof ZipFault)) throw error
      return [hard(error.code, error.message, name)]
    }
  }

  private readRow(cells: readonly string[], line: number, name: string): void {
    if (this.columns === null) {
      this.columns = findColumns(cells, LEI_COLUMNS, name)
      this.isBroken = this.columns.findings.some(({ severity }) => severity === "hard")
      return
    }
    if (this.isBroken) return
    this.rows += 1
    if (this.rows % PROGRESS_EVERY_ROWS === 0) this.progress(this.rows, this.bytes)
    const { count, at } = this.columns
    const entry =
      cells.length === count
        ? entryOf((column) => seenCell(cells[at[column]] ?? ""))
        : `${cells.length} columns, not ${count}`
    if (typeof entry === "string") {
      this.failed += 1
      if (this.problems.length < PROBLEMS_NAMED) this.problems.push({ line, why: entry })
      return
    }
    if ((entry.record as IdentityRecord).is_current) this.current += 1
    this.emit(entry)
  }

  private findings(scan: CsvScan, name: string): Finding[] {
    this.rows += scan.faults
    this.failed += scan.faults
    const first = [...this.problems, ...scan.firstFaults].slice(0, PROBLEMS_NAMED)
    const entries = this.rows - this.failed
    // Do not report unread columns: most of over 300 columns are not read.
    const findings: Finding[] = (this.columns?.findings ?? []).filter(({ severity }) => severity === "hard")
    if (scan.hasForeignBytes) findings.push(soft("ENCODING", "not UTF-8: unreadable bytes were replaced", name))
    if (scan.stopped) findings.push(hard("SCHEMA_BREAK", "not CSV: reading stopped after too many faults", name))
    else if (scan.endedInsideQuotes) findings.push(hard("TRUNCATED", "ends inside a quoted cell", name))
    else if (this.columns === null) findings.push(hard("SCHEMA_BREAK", "no header line", name))
    else if (this.isBroken) return findings
    else if (entries === 0) findings.push(hard("TRUNCATED", "no rows", name))
    else if (this.sole.entry === null) {
      findings.push(
        soft(
          "END_UNPROVEN",
          "a CSV file has no end mark: a file cut between two rows is detected only by comparison",
          name,
        ),
      )
    }
    findings.push(...countedRowFindings(name, this.rows, { count: this.failed, first }, true))
    if (entries > 0 && entries < EXPECTED_ENTRIES_MIN) {
      findings.push(soft("BELOW_EXPECTED", `${entries} entities, at least ${EXPECTED_ENTRIES_MIN} are expected`, name))
    }
    return findings
  }
}

function entryOf(cell: (column: LeiColumn) => string): RegisterEntry | string {
  const lei = cell("lei").toUpperCase()
  if (!LEI_FORM.test(lei)) return "no LEI"
  const name = cell("legalName")
  if (name === "" || name.length > NAME_LENGTH_MAX) return "no legal name"
  const status = cell("registrationStatus")
  if (status === "") return "no registration status"
  const legal = [name]
  const others: string[] = []
  for (const [column, type] of NAME_COLUMNS) {
    const further = cell(column)
    if (further === "" || further.length > NAME_LENGTH_MAX) continue
    const list = LEGAL_NAME_TYPES.has(cell(type)) ? legal : others
    if (!list.includes(further)) list.push(further)
  }
  // `US`, or `US-DE` for a state of a federation.
  const seat = cell("jurisdiction").slice(0, 2).toUpperCase()
  const country = isAlpha2(seat) ? seat : cell("country").toUpperCase()
  const record: IdentityRecord = {
    legal_names: legal,
    other_names: others,
    status,
    is_current: cell("entityStatus") === "ACTIVE" && CURRENT.has(status),
    // The publisher's date states when the data becomes unconfirmed, not when the identifier ends. The status reports that change.
    expires: null,
    country: isAlpha2(country) ? country : null,
  }
  return { key: lei, otherKeys: [], name, record }
}

/** Returns the publication time in the file name, RFC 3339, or null. */
function publishedBy(name: string): string | null {
  const [, year, month, day, hour, minute] = NAME.exec(name) ?? []
  if (!year || !minute) return null
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

/**
 * US_SAM_ENTITY: GSA's monthly public extract. It states who holds a unique entity id and its CAGE codes, for registrations that are active
 * or expired in the last half year. Entities that opted out of public display are not in it.
 */
import { DAY, SECOND } from "../../../core/time.ts"
import { scanLines } from "../../formats/line-stream.ts"
import { ZipFault } from "../../formats/zip-directory.ts"
import type { Finding } from "../../records/adapter.ts"
import { countedRowFindings, hard, type RowProblem, soft } from "../../records/findings.ts"
import { US_GOVERNMENT_WORK } from "../../records/licences.ts"
import type { RegisterAdapter, RegisterEntry, RegisterFile, RegisterReading } from "../../records/register-adapter.ts"
import { unpackedBytes } from "../plain-or-zipped.ts"
import { contentName, type SoleFile, soleFile } from "../sole-file.ts"
import { CAGE_FORM, dayOf, type EntityLine, readEntityLine, UEI_FORM } from "./entity-line.ts"

const DAY_SECONDS = DAY / SECOND
/** GSA has published over 700,000 lines for years; its own sample has 447. */
const EXPECTED_ENTRIES_MIN = 500_000
/** The longest fields together have about 40 KB. */
const LINE_BYTES_MAX = 256 * 1024
const PROBLEMS_NAMED = 6
const PROGRESS_EVERY_ROWS = 2000
/** `BOF PUBLIC V2 00000000 20260503 0884203 0008237`: from, to, records, sequence number. The oldest files omit V2. */
const CONTROL = /^(BOF|EOF) PUBLIC (?:V2 )?(\d{8}) (\d{8}) (\d{7,}) (\d{7,})\s*$/

export const usSamEntity: RegisterAdapter = {
  id: "US_SAM_ENTITY",
  parserVersion: "us-sam-entity/1.1.0",
  sourceUrl: "https://sam.gov/data-services/Entity%20Registration/Public%20V2",
  keyScheme: "uei",
  windows: { freshSeconds: 35 * DAY_SECONDS, staleSeconds: 45 * DAY_SECONDS, pollSeconds: 31 * DAY_SECONDS },
  licence: US_GOVERNMENT_WORK,
  shrinkFloor: 0.8,
  canonicalKey(scheme, value) {
    const form = scheme === "uei" ? UEI_FORM : scheme === "cage" ? CAGE_FORM : null
    const key = value.trim().toUpperCase()
    return form?.test(key) ? key : null
  },
  read,
}

async function read(
  files: readonly RegisterFile[],
  emit: (entry: RegisterEntry) => void,
  progress: (rows: number, bytes: number) => void,
): Promise<RegisterReading> {
  const { sole, findings } = soleFile(files, {
    name: /\.dat$/i,
    what: "SAM extract (.dat)",
    foreign: /^[<{["]/,
    bytesMax: 8 * 1024 * 1024 * 1024,
  })
  if (!sole) return { ...NOTHING, version: "", findings }
  const reading = new Reading(sole, emit, progress)
  const more = await reading.run()
  const day = reading.day()
  return {
    version: day ?? contentName(sole, reading.rows),
    timestamp: day === null ? null : `${day}T00:00:00.000Z`,
    declaredRecords: reading.declared(),
    rows: reading.rows,
    failed: reading.failed,
    counts: { active: reading.active, expired: reading.expired, with_cage: reading.withCage },
    findings: [...findings, ...more],
  }
}

const NOTHING = { timestamp: null, declaredRecords: null, rows: 0, failed: 0, counts: {} } as const

interface Control {
  readonly day: string | null
  readonly records: number
  readonly text: string
}

class Reading {
  rows = 0
  failed = 0
  active = 0
  expired = 0
  withCage = 0
  private bytes = 0
  private begin: Control | null = null
  private end: Control | null = null
  private isBroken: string | null = null
  private linesBehindEnd = 0
  private readonly problems: RowProblem[] = []
  /** The entity whose lines are being read. The lines of one entity are adjacent. */
  private held: { line: EntityLine; cages: Set<string> } | null = null

  constructor(
    private readonly sole: SoleFile,
    private readonly emit: (entry: RegisterEntry) => void,
    private readonly progress: (rows: number, bytes: number) => void,
  ) {}

  day(): string | null {
    return this.begin?.day ?? null
  }

  /** GSA's layout allows a count of zeros; then it declares nothing. */
  declared(): number | null {
    return this.begin && this.begin.records > 0 ? this.begin.records : null
  }

  async run(): Promise<Finding[]> {
    const { name } = this.sole.file
    const onRead = (bytes: number) => {
      this.bytes += bytes
    }
    try {
      const scan = await scanLines(unpackedBytes(this.sole, onRead), LINE_BYTES_MAX, (line, at) =>
        this.readLine(line, at),
      )
      if (this.isBroken !== null) return [hard("SCHEMA_BREAK", this.isBroken, name)]
      if (scan.tooLong) return [hard("SCHEMA_BREAK", `a line is longer than ${LINE_BYTES_MAX} bytes`, name)]
      this.release()
      return [
        ...(scan.hasForeignBytes ? [soft("ENCODING", "not UTF-8: unreadable bytes were replaced", name)] : []),
        ...this.envelope(name),
        ...countedRowFindings(name, this.rows, { count: this.failed, first: this.problems }, true),
      ]
    } catch (error) {
      if (!(error instanceof ZipFault)) throw error
      return [hard(error.code, error.message, name)]
    }
  }

  private readLine(line: string, at: number): void {
    if (this.isBroken !== null) return
    if (at === 1) {
      this.begin = controlOf(line, "BOF")
      if (!this.begin) this.isBroken = "the first line is not BOF PUBLIC with its day and record count"
      return
    }
    if (this.end) {
      if (line.trim() !== "") this.linesBehindEnd += 1
      return
    }
    this.end = controlOf(line, "EOF")
    if (this.end) return
    this.rows += 1
    if (this.rows % PROGRESS_EVERY_ROWS === 0) this.progress(this.rows, this.bytes)
    const read = readEntityLine(line)
    if (typeof read !== "string") {
      this.take(read)
      return
    }
    this.failed += 1
    if (this.problems.length < PROBLEMS_NAMED) this.problems.push({ line: at, why: read })
    // Every line so far has another layout; the rest would only repeat this finding.
    if (this.rows === PROBLEMS_NAMED && this.failed === this.rows) {
      this.isBroken = `no line is of the layout this parser reads: ${read}`
    }
  }

  private take(line: EntityLine): void {
    if (this.held?.line.uei !== line.uei) {
      this.release()
      this.held = { line, cages: new Set() }
    }
    if (line.cage !== null) this.held.cages.add(line.cage)
    if (line.isMain && !this.held.line.isMain) this.held = { line, cages: this.held.cages }
  }

  private release(): void {
    if (!this.held) return
    const { line, cages } = this.held
    this.held = null
    if (line.record.is_current) this.active += 1
    else this.expired += 1
    if (cages.size > 0) this.withCage += 1
    this.emit({
      key: line.uei,
      otherKeys: [...cages].sort().map((value) => ({ scheme: "cage", value })),
      name: line.record.legal_names[0] ?? "",
      record: line.record,
    })
  }

  private envelope(name: string): Finding[] {
    const findings: Finding[] = []
    if (!this.end) return [hard("TRUNCATED", "no EOF line: the file ends before its end", name)]
    if (this.linesBehindEnd > 0)
      findings.push(hard("CORRUPT", `${this.linesBehindEnd} lines behind the EOF line`, name))
    if (this.begin?.text !== this.end.text) {
      findings.push(hard("MIXED_PUBLICATION", "the BOF and EOF lines say different things", name))
    }
    const declared = this.declared()
    if (declared !== null && declared !== this.rows) {
      findings.push(hard("COUNT_MISMATCH", `${this.rows} lines, where ${declared} are declared`, name))
    }
    const entries = this.active + this.expired
    if (entries === 0) findings.push(hard("TRUNCATED", "no entities", name))
    else if (entries < EXPECTED_ENTRIES_MIN) {
      findings.push(soft("BELOW_EXPECTED", `${entries} entities, at least ${EXPECTED_ENTRIES_MIN} are expected`, name))
    }
    return findings
  }
}

function controlOf(line: string, mark: "BOF" | "EOF"): Control | null {
  const [, found, , to, records, sequence] = CONTROL.exec(line) ?? []
  if (found !== mark || !to || !records) return null
  return { day: dayOf(to), records: Number(records), text: `${to} ${records} ${sequence}` }
}

/**
 * US_SEC_EDGAR: the SEC's list of companies with a ticker, `{"0":{"cik_str":…,"ticker":…,"title":…},…}`. It names about ten thousand of
 * hundreds of thousands of filers, so a missing number proves nothing.
 */

import { type JsonValue, readJson, StrictJsonError } from "../../../core/strict-json.ts"
import { DAY, SECOND } from "../../../core/time.ts"
import { ZipFault } from "../../formats/zip-directory.ts"
import type { Finding } from "../../records/adapter.ts"
import { countedRowFindings, hard, type RowProblem, soft } from "../../records/findings.ts"
import { type IdentityRecord, NAME_LENGTH_MAX } from "../../records/identity-record.ts"
import { US_GOVERNMENT_WORK } from "../../records/licences.ts"
import type { RegisterAdapter, RegisterEntry, RegisterFile, RegisterReading } from "../../records/register-adapter.ts"
import { seenCell } from "../../records/unseen-characters.ts"
import { unpackedBytes } from "../plain-or-zipped.ts"
import { contentName, type SoleFile, soleFile } from "../sole-file.ts"

const DAY_SECONDS = DAY / SECOND
const EXPECTED_ENTRIES_MIN = 5_000
const FILE_BYTES_MAX = 32 * 1024 * 1024
const PROBLEMS_NAMED = 6
/** EDGAR distinguishes companies of the same name by a suffix after a slash: `BANK OF AMERICA CORP /DE/`, `WELLS FARGO & COMPANY/MN`. */
const CONFORMED_SUFFIX = /\s*\/[A-Z]{2,4}\/?$/

export const usSecEdgar: RegisterAdapter = {
  id: "US_SEC_EDGAR",
  parserVersion: "us-sec-edgar/1.1.0",
  sourceUrl: "https://www.sec.gov/files/company_tickers.json",
  keyScheme: "cik",
  windows: { freshSeconds: 7 * DAY_SECONDS, staleSeconds: 30 * DAY_SECONDS, pollSeconds: DAY_SECONDS },
  licence: US_GOVERNMENT_WORK,
  shrinkFloor: 0.8,
  canonicalKey: (scheme, value) => (scheme === "cik" ? cikOf(value) : null),
  read,
}

async function read(
  files: readonly RegisterFile[],
  emit: (entry: RegisterEntry) => void,
  progress: (rows: number, bytes: number) => void,
): Promise<RegisterReading> {
  const { sole, findings } = soleFile(files, {
    name: /\.json$/i,
    what: "list of companies (.json)",
    foreign: /^[<["]/,
    bytesMax: FILE_BYTES_MAX,
  })
  if (!sole) return { ...NOTHING, version: "", findings }
  const parsed = await readWhole(sole)
  if ("code" in parsed) return { ...NOTHING, version: contentName(sole, 0), findings: [...findings, parsed] }
  const { entries, rows, problems, failed } = readCompanies(parsed.rows)
  for (const entry of entries.values()) emit(entry)
  progress(rows, sole.file.bytes)
  const { name } = sole.file
  return {
    // The bytes state no day.
    version: contentName(sole, rows),
    timestamp: null,
    declaredRecords: null,
    rows,
    failed,
    counts: { companies: entries.size, tickers: rows - failed },
    findings: [
      ...findings,
      ...countedRowFindings(name, rows, { count: failed, first: problems }, true),
      ...(entries.size === 0
        ? [hard("SCHEMA_BREAK", "no company in it", name)]
        : entries.size < EXPECTED_ENTRIES_MIN
          ? [soft("BELOW_EXPECTED", `${entries.size} companies, at least ${EXPECTED_ENTRIES_MIN} are expected`, name)]
          : []),
    ],
  }
}

const NOTHING = { timestamp: null, declaredRecords: null, rows: 0, failed: 0, counts: {} } as const

/** A truncated JSON text is invalid, so its end needs no other proof. */
async function readWhole(sole: SoleFile): Promise<{ readonly rows: readonly JsonValue[] } | Finding> {
  const { name } = sole.file
  try {
    const chunks: Uint8Array[] = []
    // The size in the archive's directory, or of the file, was already checked against the limit.
    for await (const chunk of unpackedBytes(sole, () => {})) chunks.push(chunk)
    const value = readJson(new Uint8Array(Buffer.concat(chunks)))
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return hard("SCHEMA_BREAK", "not an object of numbered companies", name)
    }
    return { rows: Object.values(value) }
  } catch (error) {
    if (error instanceof ZipFault) return hard(error.code, error.message, name)
    if (!(error instanceof StrictJsonError)) throw error
    return hard(error.fault === "NOT_JSON" ? "CORRUPT" : "SCHEMA_BREAK", `not strict JSON: ${error.message}`, name)
  }
}

function readCompanies(given: readonly JsonValue[]) {
  const entries = new Map<string, RegisterEntry>()
  const problems: RowProblem[] = []
  let failed = 0
  for (const [index, value] of given.entries()) {
    const company = companyOf(value)
    if (typeof company === "string") {
      failed += 1
      if (problems.length < PROBLEMS_NAMED) problems.push({ line: index + 1, why: company })
      continue
    }
    // One row for each ticker of a company. The first row gives the name.
    if (!entries.has(company.key)) entries.set(company.key, company)
  }
  return { entries, rows: given.length, problems, failed }
}

function companyOf(value: JsonValue): RegisterEntry | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "no company"
  const { cik_str: cik, title } = value
  const key = typeof cik === "number" || typeof cik === "string" ? cikOf(String(cik)) : null
  if (key === null) return "no cik_str"
  const name = typeof title === "string" ? seenCell(title) : ""
  if (name === "" || name.length > NAME_LENGTH_MAX) return "no title"
  const plain = name.replace(CONFORMED_SUFFIX, "")
  const record: IdentityRecord = {
    legal_names: plain === name || plain === "" ? [name] : [plain, name],
    other_names: [],
    status: null,
    is_current: null,
    expires: null,
    country: null,
  }
  return { key, otherKeys: [], name, record }
}

function cikOf(value: string): string | null {
  const digits = value.trim()
  return /^\d{1,10}$/.test(digits) && !/^0+$/.test(digits) ? digits.padStart(10, "0") : null
}

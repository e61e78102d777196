/** Finds the files of one monthly publication: one file, or all of its parts, zipped or not, all of the same day. */
import { type DirectoryEntry, ZipFault } from "../../formats/zip-directory.ts"
import { listArchive } from "../../formats/zip-stream.ts"
import type { Finding } from "../../records/adapter.ts"
import { hard } from "../../records/findings.ts"
import type { RegisterFile } from "../../records/register-adapter.ts"
import { baseName, HEAD_BYTES } from "../../records/source-text.ts"
import { fileHead, type PlainOrZipped } from "../plain-or-zipped.ts"

/** `BasicCompanyDataAsOneFile-2026-11-01.zip`, `BasicCompanyData-2026-11-01-part1_7.zip`, and the same names with `.csv` inside. */
const NAME =
  /^BasicCompanyData(?:AsOneFile)?-(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:-part(\d{1,2})_(\d{1,2}))?\.(?:zip|csv)$/i

const ARCHIVE_LIMITS = { entriesMax: 8, bytesMax: 16 * 1024 * 1024 * 1024 }

export interface BulkFile extends PlainOrZipped {
  /** Data from the file name; null for a renamed file. */
  readonly stated: Stated | null
}

interface Stated {
  /** YYYY-MM-DD. */
  readonly day: string
  /** From 1. */
  readonly part: number
  readonly parts: number
}

interface BulkSet {
  /** In part order; empty if a finding is hard. */
  readonly files: readonly BulkFile[]
  /** CHOICE: the day in the publisher's file names is the day of the data, because the bytes state no day. Null if renamed. */
  readonly day: string | null
  readonly findings: readonly Finding[]
}

export function bulkSet(files: readonly RegisterFile[]): BulkSet {
  const findings: Finding[] = []
  const found: BulkFile[] = []
  for (const file of files) {
    const one = recognize(file)
    if ("code" in one) findings.push(one)
    else found.push(one)
  }
  if (findings.length === 0) findings.push(...setFindings(found))
  if (findings.length > 0) return { files: [], day: null, findings }
  const sorted = [...found].sort((a, b) => (a.stated?.part ?? 1) - (b.stated?.part ?? 1))
  return { files: sorted, day: sorted[0]?.stated?.day ?? null, findings }
}

function recognize(file: RegisterFile): BulkFile | Finding {
  if (file.bytes === 0) return hard("TRUNCATED", "the file is empty", file.name)
  const head = fileHead(file.path)
  if (!head.startsWith("PK")) {
    if (/^[<{[]/.test(head)) {
      return hard("NOT_DATA", `the first ${HEAD_BYTES} bytes are not those of a CSV or ZIP file`, file.name)
    }
    return { file, entry: null, stated: statedBy(baseName(file.name)) }
  }
  try {
    const entries = listArchive(file.path, ARCHIVE_LIMITS).filter(({ name }) => /\.csv$/i.test(name))
    const [entry] = entries
    if (!entry) return hard("MISSING_FILE", "the archive holds no CSV file", file.name)
    if (entries.length > 1) return hard("MIXED_PUBLICATION", "the archive holds several CSV files", file.name)
    return namedAlike(file, entry)
  } catch (error) {
    if (error instanceof ZipFault) return hard(error.code, error.message, file.name)
    throw error
  }
}

/** The name inside the archive is part of the bytes. If the outer name states another day or part, somebody renamed the file wrongly. */
function namedAlike(file: RegisterFile, entry: DirectoryEntry): BulkFile | Finding {
  const inside = statedBy(baseName(entry.name))
  const outside = statedBy(baseName(file.name))
  if (inside && outside && (inside.day !== outside.day || inside.part !== outside.part)) {
    return hard("MIXED_PUBLICATION", "its name and that of the CSV inside say different days or parts", file.name)
  }
  return { file, entry, stated: inside ?? outside }
}

function setFindings(files: readonly BulkFile[]): Finding[] {
  const [first] = files
  if (!first) return [hard("MISSING_FILE", "no file")]
  if (files.length === 1 && first.stated === null) return []
  const unnamed = files.filter(({ stated }) => stated === null)
  if (unnamed.length > 0) {
    return [hard("MIXED_PUBLICATION", `${unnamed.length} of ${files.length} names do not say which part they are`)]
  }
  const stated = files.flatMap((file) => file.stated ?? [])
  const days = new Set(stated.map(({ day }) => day))
  const counts = new Set(stated.map(({ parts }) => parts))
  if (days.size > 1) return [hard("MIXED_PUBLICATION", `files of ${days.size} days: ${[...days].sort().join(", ")}`)]
  if (counts.size > 1) return [hard("MIXED_PUBLICATION", "parts of differently divided publications")]
  return partFindings(
    stated.map(({ part }) => part),
    stated[0]?.parts ?? 1,
  )
}

function partFindings(given: readonly number[], parts: number): Finding[] {
  const missing = Array.from({ length: parts }, (_, index) => index + 1).filter((part) => !given.includes(part))
  const findings: Finding[] = []
  if (missing.length > 0) findings.push(hard("MISSING_FILE", `part ${missing.join(", ")} of ${parts} is missing`))
  if (new Set(given).size < given.length) findings.push(hard("MIXED_PUBLICATION", "a part is given twice"))
  if (given.some((part) => part < 1 || part > parts)) findings.push(hard("MIXED_PUBLICATION", "a part beyond the last"))
  return findings
}

function statedBy(name: string): Stated | null {
  const [, day, part = "1", parts = "1"] = NAME.exec(name) ?? []
  return day === undefined ? null : { day, part: Number(part), parts: Number(parts) }
}

/** Finds the extract in a folder, unpacks it if needed, and reads the day from its name. */

import { unzip } from "../../formats/unzip.ts"
import type { Finding, SourceFile } from "../../records/adapter.ts"
import { hard, soft } from "../../records/findings.ts"
import { baseName, notCsv, notZip } from "../../records/source-text.ts"

export interface Extract {
  readonly file: string
  readonly bytes: Uint8Array
  /** `YYDDD`, the Julian day in the file name. */
  readonly day: string
  readonly findings: readonly Finding[]
}

/** GSA's public sample has no `V2` in its name. */
const NAME = /^SAM_Exclusions_Public_Extract_(?:V2_)?(\d{5})\.(zip|csv)$/i
const UNPACKED_BYTES_MAX = 512 * 1024 * 1024
const ENTRIES_MAX = 4

export function openExtract(files: readonly SourceFile[]): Extract | Finding {
  const named = files.filter((file) => NAME.test(baseName(file.name)))
  const [file] = named
  if (!file) return hard("MISSING_FILE", "no SAM_Exclusions_Public_Extract_V2_YYDDD.ZIP or .CSV among the files")
  if (named.length > 1) return hard("MIXED_PUBLICATION", `${named.length} extracts in one folder`, file.name)
  const [, day = "", kind = ""] = NAME.exec(baseName(file.name)) ?? []
  return kind.toLowerCase() === "zip" ? openZip(file, day) : openCsv(file, day)
}

function openCsv(file: SourceFile, day: string): Extract | Finding {
  const refusal = notCsv(file, UNPACKED_BYTES_MAX)
  if (refusal) return refusal
  const unproven = soft(
    "END_UNPROVEN",
    "unpacked: a file cut between two rows is detected only by comparison; keep the ZIP",
    file.name,
  )
  return { file: file.name, bytes: file.bytes, day, findings: [unproven] }
}

function openZip(file: SourceFile, day: string): Extract | Finding {
  const refusal = notZip(file, UNPACKED_BYTES_MAX)
  if (refusal) return refusal
  const unzipped = unzip(file.bytes, file.name, { entriesMax: ENTRIES_MAX, bytesMax: UNPACKED_BYTES_MAX })
  if ("finding" in unzipped) return unzipped.finding
  const inside = unzipped.entries.filter(({ name }) => NAME.test(baseName(name)))
  const [entry] = inside
  if (!entry || inside.length > 1)
    return hard("MISSING_FILE", `${inside.length} extracts in the archive, not one`, file.name)
  const innerDay = NAME.exec(baseName(entry.name))?.[1]
  if (innerDay !== day) return hard("MIXED_PUBLICATION", "archive and file inside state different days", file.name)
  const csv = { name: entry.name, bytes: entry.bytes, modifiedAt: file.modifiedAt }
  return notCsv(csv, UNPACKED_BYTES_MAX) ?? { file: entry.name, bytes: entry.bytes, day, findings: [] }
}

/** Returns the first instant of the day in UTC: a few hours before publication, so that a list never looks newer than it is. */
export function timestampOfDay(day: string): string | null {
  const dayOfYear = Number(day.slice(2))
  const year = 2000 + Number(day.slice(0, 2))
  const at = new Date(Date.UTC(year, 0, dayOfYear))
  return dayOfYear >= 1 && at.getUTCFullYear() === year ? at.toISOString() : null
}

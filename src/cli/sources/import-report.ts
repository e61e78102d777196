/** The result of an import as text and as JSON; the same for every origin of the files. */

import type { ImportOutcome } from "../../sources/import/import-record.ts"
import type { ImportReport } from "../../sources/import/import-source.ts"
import type { Finding } from "../../sources/records/adapter.ts"
import { isRegisterId } from "../../sources/records/register-id.ts"
import type { Acceptance } from "../../store/sources/sources.ts"

export function importAsJson(report: ImportReport) {
  return {
    version: 1,
    imported: report.imported,
    source_id: report.sourceId,
    snapshot_id: report.snapshotId,
    raw_sha256: report.rawSha256,
    source_version: report.version,
    source_timestamp: report.sourceTimestamp,
    retrieved_at: report.retrievedAt,
    ...publicationAsJson(report),
    counts: isRegisterId(report.sourceId)
      ? { entries: report.entries, failed: report.failed, ...report.counts }
      : report.counts,
    findings: report.findings,
  }
}

export function importForPeople(report: ImportReport): string {
  const { findings } = report
  const lines = [
    `${report.imported ? "imported" : "refused"}  ${report.sourceId}  ${report.version}`,
    countsLine(report),
    ...publicationLines(report),
    `  retrieved ${report.retrievedAt}  raw ${report.rawSha256}`,
    ...findings.map(findingLine),
    ...(report.imported ? [] : ["  the active snapshot is unchanged"]),
  ]
  return `${lines.join("\n")}\n`
}

function countsLine({ sourceId, entries, failed, counts }: ImportReport): string {
  const { aliases, addresses, rows } = counts
  return isRegisterId(sourceId)
    ? `  entries ${entries}  rows ${rows}  unreadable ${failed}`
    : `  entries ${entries}  aliases ${aliases}  addresses ${addresses}  rows ${rows}`
}

type PublicationFacts = Pick<
  ImportOutcome,
  "imported" | "publishedAt" | "publishedFrom" | "confirmedAt" | "isSample" | "acceptances"
>

/** The age of the publication and the terms of its acceptance. */
function publicationAsJson({ publishedAt, publishedFrom, confirmedAt, isSample, acceptances }: PublicationFacts) {
  return {
    published_at: publishedAt,
    published_from: publishedFrom,
    confirmed_at: confirmedAt,
    is_sample: isSample,
    acceptances,
  }
}

function publicationLines({ imported, publishedAt, publishedFrom, isSample, acceptances }: PublicationFacts): string[] {
  return [
    ...(publishedAt === null ? [] : [publishedLine(publishedAt, publishedFrom)]),
    ...(imported && isSample ? ["  SAMPLE: a live data directory would have refused these files"] : []),
    ...(imported ? acceptances.map(acceptanceLine) : []),
  ]
}

export function publishedLine(publishedAt: string, publishedFrom: string | null): string {
  return `  published ${publishedAt} (${publishedFrom})`
}

export function acceptanceLine({ what, reason, at }: Acceptance): string {
  return `  accepted ${at} although ${what === "OLD" ? "its content is too old" : "it is too small"}: ${reason}`
}

export function findingLine({ code, severity, detail, file }: Finding): string {
  return `  ${severity}  ${code}  ${file ? `${file}: ` : ""}${detail}`
}

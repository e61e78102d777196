/** What an import came to, in words and as JSON: the same whoever brought the files. */
import type { Finding } from "../sources/adapter.ts"
import type { ImportReport } from "../sources/import-snapshot.ts"

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
    counts: report.counts,
    findings: report.findings,
  }
}

export function importForPeople(report: ImportReport): string {
  const { counts, findings } = report
  const lines = [
    `${report.imported ? "imported" : "refused"}  ${report.sourceId}  ${report.version}`,
    `  entries ${counts.entries}  aliases ${counts.aliases}  addresses ${counts.addresses}  rows ${counts.rows}`,
    `  retrieved ${report.retrievedAt}  raw ${report.rawSha256}`,
    ...findings.map(findingLine),
    ...(report.imported ? [] : ["  the active snapshot is unchanged"]),
  ]
  return `${lines.join("\n")}\n`
}

export function findingLine({ code, severity, detail, file }: Finding): string {
  return `  ${severity}  ${code}  ${file ? `${file}: ` : ""}${detail}`
}

/** What an import of a list or a register records of its publication: in its report, in the manifest and in the snapshot's row. */
import { SNAPSHOT_FORMAT } from "../../../schemas/snapshot-manifest.ts"
import type { Digest } from "../../core/digest.ts"
import { formatInstant } from "../../core/time.ts"
import type { Acceptance, PublishedFrom, SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import type { ImportTimes } from "./import-times.ts"
import type { SnapshotJudgement } from "./judge-snapshot.ts"
import type { ImportedSource, KeptFile } from "./kept.ts"
import type { PublicationTime } from "./publication-time.ts"
import { type Manifest, type ManifestFile, statedTimes } from "./snapshot-files.ts"

interface PublicationReport {
  readonly sourceId: string
  readonly rawSha256: Digest
  readonly version: string
  readonly sourceTimestamp: string | null
  readonly retrievedAt: string
  readonly publishedAt: string | null
  readonly publishedFrom: PublishedFrom | null
  readonly confirmedAt: string | null
  readonly isSample: boolean
  readonly acceptances: readonly Acceptance[]
  readonly findings: readonly Finding[]
}

export interface ImportOutcome extends PublicationReport {
  readonly imported: boolean
  /** Null when the import was rejected. */
  readonly snapshotId: string | null
}

interface ReadPublication {
  readonly sourceId: string
  readonly rawSha256: Digest
  readonly version: string
  /** RFC 3339, as the publisher states it. */
  readonly timestamp: string | null
}

export function publicationReport(
  { sourceId, rawSha256, version, timestamp }: ReadPublication,
  { retrievedAt, confirmedAt }: ImportTimes,
  published: PublicationTime | null,
  judgement: SnapshotJudgement,
): PublicationReport {
  return {
    sourceId,
    rawSha256,
    version,
    sourceTimestamp: timestamp,
    retrievedAt: formatInstant(retrievedAt),
    publishedAt: published?.at ?? null,
    publishedFrom: published?.from ?? null,
    confirmedAt: confirmedAt === null ? null : formatInstant(confirmedAt),
    isSample: judgement.isSample,
    acceptances: judgement.acceptances,
    findings: judgement.findings,
  }
}

export function manifestFile({ name, sha256, bytes, modifiedAt, url, etag }: KeptFile): ManifestFile {
  return {
    name,
    sha256,
    bytes,
    last_modified: formatInstant(Math.floor(modifiedAt)),
    ...(url === undefined ? {} : { url }),
    ...(etag === undefined ? {} : { etag }),
  }
}

interface KeptPublication {
  readonly source: Pick<ImportedSource, "id" | "sourceUrl" | "parserVersion" | "licence">
  readonly report: PublicationReport
  readonly files: readonly ManifestFile[]
}

/** `retrievedBy`: the command that brought the files. */
export function manifestOf({ source, report, files }: KeptPublication, retrievedBy: string): Manifest {
  return {
    format: SNAPSHOT_FORMAT,
    source_id: source.id,
    source_url: source.sourceUrl,
    source_version: report.version,
    source_timestamp: report.sourceTimestamp,
    retrieved_at: report.retrievedAt,
    retrieved_by: retrievedBy,
    licence: source.licence,
    ...statedTimes(report),
    files,
  }
}

/** The same, of a snapshot that is kept. */
export function manifestOfRow(
  row: SnapshotRow,
  licence: string,
  retrievedBy: string,
): Manifest & { readonly licence: string; readonly files: ManifestFile[] } {
  return {
    format: SNAPSHOT_FORMAT,
    source_id: row.sourceId as ImportedSource["id"],
    source_url: row.sourceUrl,
    source_version: row.sourceVersion,
    source_timestamp: row.sourceTimestamp,
    retrieved_at: row.retrievedAt,
    retrieved_by: retrievedBy,
    licence,
    ...statedTimes(row),
    files: JSON.parse(row.files) as ManifestFile[],
  }
}

type RowOfStore = "snapshotId" | "partiesSha256" | "entries" | "content"

/** The row of the snapshot, without its state. `importedAt` in milliseconds. */
export function snapshotRow(
  { source, report, files }: KeptPublication,
  judgement: SnapshotJudgement,
  kept: Pick<SnapshotRow, RowOfStore> & { readonly importedAt: number; readonly counts: object },
): Omit<SnapshotRow, "state"> {
  return {
    ...kept,
    sourceId: source.id,
    sourceUrl: source.sourceUrl,
    sourceVersion: report.version,
    sourceTimestamp: report.sourceTimestamp,
    retrievedAt: report.retrievedAt,
    parserVersion: source.parserVersion,
    rawSha256: report.rawSha256,
    counts: JSON.stringify(kept.counts),
    files: JSON.stringify(files),
    findings: JSON.stringify(report.findings),
    importedAt: formatInstant(kept.importedAt),
    publishedAt: report.publishedAt,
    publishedFrom: report.publishedFrom,
    confirmedAt: report.confirmedAt,
    size: judgement.size,
    isSample: judgement.isSample ? 1 : 0,
    acceptances: JSON.stringify(judgement.acceptances),
  }
}

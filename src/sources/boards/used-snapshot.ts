/** A snapshot as answers, pages and commands show it. Computed once for each row, because every request reads it. */
import type { SourceLimitation } from "../../../schemas/publication.ts"
import type { Acceptance, SnapshotRow } from "../../store/sources/sources.ts"
import { wasUnderLeast } from "../import/judge-snapshot.ts"
import type { Finding } from "../records/adapter.ts"
import { SOURCE_IDS } from "../records/party.ts"
import type { UsedSnapshot } from "./source-board.ts"

/** Sources whose publication time is judged: the lists, and the one register whose file names contain the day. */
const DATED: ReadonlySet<string> = new Set([...SOURCE_IDS, "UK_COMPANIES_HOUSE"])

const known = new WeakMap<SnapshotRow, UsedSnapshot>()

/** CHOICE: if the publication time is unknown, the retrieval time replaces it, and PUBLICATION_UNKNOWN states this. */
export function usedSnapshot(row: SnapshotRow): UsedSnapshot {
  const found = known.get(row)
  if (found) return found
  const used = shown(row)
  known.set(row, used)
  return used
}

function shown(row: SnapshotRow): UsedSnapshot {
  const acceptances = JSON.parse(row.acceptances) as readonly Acceptance[]
  return {
    snapshotId: row.snapshotId,
    sourceUrl: row.sourceUrl,
    sourceVersion: row.sourceVersion,
    sourceTimestamp: row.publishedAt ?? row.sourceTimestamp ?? row.retrievedAt,
    retrievedAt: row.retrievedAt,
    parserVersion: row.parserVersion,
    rawSha256: row.rawSha256,
    entries: row.entries,
    publishedAt: row.publishedAt,
    publishedFrom: row.publishedFrom,
    confirmedAt: row.confirmedAt,
    limitations: limitationsOf(row, acceptances),
    acceptances,
    findings: findingsOf(row),
    isIncomplete: wasUnderLeast(row),
  }
}

/** The publication time may become known after the import. */
function findingsOf({ findings, publishedAt }: SnapshotRow): readonly Finding[] {
  const all = JSON.parse(findings) as readonly Finding[]
  return publishedAt === null ? all : all.filter(({ code }) => code !== "PUBLICATION_UNKNOWN")
}

/**
 * Returns whether a live directory would still reject it. A snapshot that only lacked its publication time is accepted once that time is
 * known.
 */
function isSample(row: SnapshotRow, acceptances: readonly Acceptance[]): boolean {
  if (row.isSample === 0) return false
  return row.publishedAt === null || wasUnderLeast(row) || acceptances.length > 0
}

function limitationsOf(row: SnapshotRow, acceptances: readonly Acceptance[]): readonly SourceLimitation[] {
  const accepted = (what: Acceptance["what"]) => acceptances.some((one) => one.what === what)
  return [
    ...(isSample(row, acceptances) ? (["SAMPLE"] as const) : []),
    ...(DATED.has(row.sourceId) && row.publishedAt === null ? (["PUBLICATION_UNKNOWN"] as const) : []),
    ...(accepted("OLD") ? (["ACCEPTED_OLD"] as const) : []),
    ...(accepted("SMALL") ? (["ACCEPTED_SMALL"] as const) : []),
  ]
}

/** Applies in a live directory only; a test directory takes such a publication as a sample. */
export function isAccepted({ limitations, acceptances }: Pick<UsedSnapshot, "limitations" | "acceptances">): boolean {
  return acceptances.length > 0 && !limitations.includes("SAMPLE")
}

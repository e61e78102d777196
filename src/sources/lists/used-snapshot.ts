/** A snapshot as answers, pages and commands show it: computed once for a row, because it is asked for with every request. */
import type { SourceLimitation } from "../../../schemas/publication.ts"
import type { Acceptance, SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { SOURCE_IDS } from "../records/party.ts"
import { wasUnderLeast } from "./judge-standing.ts"
import type { UsedSnapshot } from "./source-board.ts"

/** Sources whose publication time is judged: the lists, and the one register whose files name their day. */
const DATED: ReadonlySet<string> = new Set([...SOURCE_IDS, "UK_COMPANIES_HOUSE"])

const known = new WeakMap<SnapshotRow, UsedSnapshot>()

/** CHOICE: where nobody knows the publication time, the retrieval time stands for it, and PUBLICATION_UNKNOWN says so. */
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

/** A publication time may be learned after the import. */
function findingsOf({ findings, publishedAt }: SnapshotRow): readonly Finding[] {
  const all = JSON.parse(findings) as readonly Finding[]
  return publishedAt === null ? all : all.filter(({ code }) => code !== "PUBLICATION_UNKNOWN")
}

/** Whether it still is what a live directory would refuse: one that only lacked its publication time is not, once that is learned. */
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

/** In a live directory alone: a test directory takes such a publication as a sample. */
export function isAccepted({ limitations, acceptances }: Pick<UsedSnapshot, "limitations" | "acceptances">): boolean {
  return acceptances.length > 0 && !limitations.includes("SAMPLE")
}

/** What operators accepted of a publication that an import would refuse or report as stale, and what is known of the same bytes. */
import { and, desc, eq, isNotNull, max, min } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import type { Acceptance, PublishedFrom } from "./sources.ts"

export interface AcceptanceRow extends Acceptance {
  readonly id: number
  readonly sourceId: string
  readonly rawSha256: string
  readonly snapshotId: string
  /** As in the snapshot's row. */
  readonly content: string | null
}

const put = query((db, t) =>
  db
    .insert(t.sourceAcceptance)
    .values({
      sourceId: bind("sourceId"),
      at: bind("at"),
      rawSha256: bind("rawSha256"),
      what: bind("what"),
      reason: bind("reason"),
      snapshotId: bind("snapshotId"),
      content: bind("content"),
    })
    .returning({ id: t.sourceAcceptance.id }),
)
/** The columns that identify the bytes of a publication. */
type BytesColumn = "content" | "rawSha256"

function newestAcceptance(column: BytesColumn) {
  return query((db, { sourceAcceptance: t }) =>
    db
      .select()
      .from(t)
      .where(and(eq(t.sourceId, bind("sourceId")), eq(t[column], bind(column)), eq(t.what, bind("what"))))
      .orderBy(desc(t.id))
      .limit(1),
  )
}
function seenTimes(column: BytesColumn) {
  return query((db, { sourceSnapshot: t }) =>
    db
      .select({ retrievedAt: min(t.retrievedAt), confirmedAt: max(t.confirmedAt) })
      .from(t)
      .where(and(eq(t.sourceId, bind("sourceId")), eq(t[column], bind(column)))),
  )
}
function publication(column: BytesColumn) {
  return query((db, { sourceSnapshot: t }) =>
    db
      .select({ publishedAt: t.publishedAt, publishedFrom: t.publishedFrom })
      .from(t)
      .where(and(eq(t.sourceId, bind("sourceId")), eq(t[column], bind(column)), isNotNull(t.publishedAt)))
      .orderBy(desc(t.retrievedAt), desc(t.importedAt), desc(t.snapshotId))
      .limit(1),
  )
}

const newestOfContent = newestAcceptance("content")
const newestOfRaw = newestAcceptance("rawSha256")
const seenContent = seenTimes("content")
const seenRaw = seenTimes("rawSha256")
const publishedContent = publication("content")
const publishedRaw = publication("rawSha256")

export function* recordAcceptance(row: Omit<AcceptanceRow, "id">): Unit<void> {
  yield* rows(put, { ...row })
}

/** What identifies the bytes of an import. */
interface ListBytes {
  /** As in the snapshot's row; empty when the files could not be read. */
  readonly content: string
  readonly rawSha256: string
}

/** What earlier imports of the same bytes recorded, under any file names. All times are RFC 3339. */
export interface KnownBytes {
  /** The earliest retrieval; null when these bytes were never imported. */
  readonly retrievedAt: string | null
  /** The latest confirmation by the publisher's own host. */
  readonly confirmedAt: string | null
  readonly published: { readonly at: string; readonly from: PublishedFrom } | null
  /** The newest acceptance of each kind. */
  readonly acceptances: readonly Acceptance[]
}

/** Found by content, else by `raw_sha256`, because an earlier release stored the digest of an archive and not of its files. */
export function* knownBytes(sourceId: string, { content, rawSha256 }: ListBytes): Unit<KnownBytes> {
  const byContent = { sourceId, content }
  const byRaw = { sourceId, rawSha256 }
  const ofContent = yield* first(seenContent, byContent)
  const isKnown = typeof ofContent?.retrievedAt === "string"
  const seen = isKnown ? ofContent : yield* first(seenRaw, byRaw)
  const dated = isKnown ? yield* first(publishedContent, byContent) : yield* first(publishedRaw, byRaw)
  const { publishedAt = null, publishedFrom = null } = dated ?? {}
  const acceptances: Acceptance[] = []
  for (const what of ["OLD", "SMALL"] as const) {
    const ofBytes = yield* first(newestOfContent, { ...byContent, what })
    const row = ofBytes ?? (yield* first(newestOfRaw, { ...byRaw, what }))
    if (row) acceptances.push({ what, reason: row.reason, at: row.at })
  }
  return {
    retrievedAt: seen?.retrievedAt ?? null,
    confirmedAt: seen?.confirmedAt ?? null,
    published: publishedAt !== null && publishedFrom !== null ? { at: publishedAt, from: publishedFrom } : null,
    acceptances,
  }
}

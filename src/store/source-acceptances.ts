/** What operators accepted of a publication that an import would refuse or call stale, and what is known of the same bytes. */
import { and, desc, eq, isNotNull, max, min } from "drizzle-orm"
import type { Acceptance, PublishedFrom } from "./sources.ts"
import { bind, first, query, rows, type Unit } from "./unit.ts"

export interface AcceptanceRow extends Acceptance {
  readonly id: number
  readonly sourceId: string
  readonly rawSha256: string
  readonly snapshotId: string
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
    })
    .returning({ id: t.sourceAcceptance.id }),
)
const newestOf = query((db, t) =>
  db
    .select()
    .from(t.sourceAcceptance)
    .where(
      and(
        eq(t.sourceAcceptance.sourceId, bind("sourceId")),
        eq(t.sourceAcceptance.rawSha256, bind("rawSha256")),
        eq(t.sourceAcceptance.what, bind("what")),
      ),
    )
    .orderBy(desc(t.sourceAcceptance.id))
    .limit(1),
)
const sameBytes = query((db, t) =>
  db
    .select({ retrievedAt: min(t.sourceSnapshot.retrievedAt), confirmedAt: max(t.sourceSnapshot.confirmedAt) })
    .from(t.sourceSnapshot)
    .where(and(eq(t.sourceSnapshot.sourceId, bind("sourceId")), eq(t.sourceSnapshot.rawSha256, bind("rawSha256")))),
)
const published = query((db, t) =>
  db
    .select({ publishedAt: t.sourceSnapshot.publishedAt, publishedFrom: t.sourceSnapshot.publishedFrom })
    .from(t.sourceSnapshot)
    .where(
      and(
        eq(t.sourceSnapshot.sourceId, bind("sourceId")),
        eq(t.sourceSnapshot.rawSha256, bind("rawSha256")),
        isNotNull(t.sourceSnapshot.publishedAt),
      ),
    )
    .orderBy(desc(t.sourceSnapshot.retrievedAt))
    .limit(1),
)

export function* recordAcceptance(row: Omit<AcceptanceRow, "id">): Unit<void> {
  yield* rows(put, { ...row })
}

/** Everything earlier imports of the same bytes left; all times RFC 3339. */
export interface KnownBytes {
  /** The earliest retrieval; null where these bytes were never imported. */
  readonly retrievedAt: string | null
  /** The latest confirmation by the publisher's own host. */
  readonly confirmedAt: string | null
  readonly published: { readonly at: string; readonly from: PublishedFrom } | null
  /** The newest acceptance of each kind. */
  readonly acceptances: readonly Acceptance[]
}

export function* knownBytes(sourceId: string, rawSha256: string): Unit<KnownBytes> {
  const seen = yield* first(sameBytes, { sourceId, rawSha256 })
  const { publishedAt = null, publishedFrom = null } = (yield* first(published, { sourceId, rawSha256 })) ?? {}
  const acceptances: Acceptance[] = []
  for (const what of ["OLD", "SMALL"] as const) {
    const row = yield* first(newestOf, { sourceId, rawSha256, what })
    if (row) acceptances.push({ what, reason: row.reason, at: row.at })
  }
  return {
    retrievedAt: seen?.retrievedAt ?? null,
    confirmedAt: seen?.confirmedAt ?? null,
    published: publishedAt !== null && publishedFrom !== null ? { at: publishedAt, from: publishedFrom } : null,
    acceptances,
  }
}

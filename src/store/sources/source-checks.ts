/** Result of the last round that queried a publisher: one row per source, with the validators for the next round. */
import { and, asc, eq, isNull, or } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { activeSnapshot } from "./sources.ts"

/** All times are RFC 3339. */
export interface SourceCheckRow {
  readonly sourceId: string
  readonly attemptedAt: string
  /** REFUSED: the publisher responded, but its files may not become the active snapshot. FAILED: it did not respond properly. */
  readonly outcome: "IMPORTED" | "NOT_MODIFIED" | "REFUSED" | "FAILED"
  /** Of REFUSED and FAILED, else null. */
  readonly code: string | null
  /** For an operator. Never contains a key, a query string or a row of a list. */
  readonly detail: string | null
  /** Consecutive rounds that FAILED. Any response of the publisher resets it. */
  readonly failures: number
  /** The publisher asked for no queries before this time. */
  readonly retryAfterUntil: string | null
  /**
   * When the publisher last gave or confirmed `checkedSnapshotId`. A later round that failed or was refused does not change it, nor does a
   * mirror's response about a known snapshot.
   */
  readonly checkedAt: string | null
  /** INVARIANT: `checkedAt` applies only to this snapshot. When another one is active, it has no meaning. */
  readonly checkedSnapshotId: string | null
  /** As `checkedAt`, but without responses of a publisher's "what is newest" page, which describes the files but is not the files. */
  readonly filesCheckedAt: string | null
  /** JSON array of {name, url, etag, last_modified, bytes}: the inputs of a conditional request for `checkedSnapshotId`. */
  readonly validators: string
  /** What the publisher's "what is newest" page said before those files were requested. */
  readonly marker: string | null
}

const all = query((db, t) => db.select().from(t.sourceCheck).orderBy(asc(t.sourceCheck.sourceId)))
const of = query((db, t) =>
  db
    .select()
    .from(t.sourceCheck)
    .where(eq(t.sourceCheck.sourceId, bind("sourceId"))),
)
const put = query((db, t) =>
  db
    .insert(t.sourceCheck)
    .values({
      sourceId: bind("sourceId"),
      attemptedAt: bind("attemptedAt"),
      outcome: bind("outcome"),
      code: bind("code"),
      detail: bind("detail"),
      failures: bind("failures"),
      retryAfterUntil: bind("retryAfterUntil"),
      checkedAt: bind("checkedAt"),
      checkedSnapshotId: bind("checkedSnapshotId"),
      filesCheckedAt: bind("filesCheckedAt"),
      validators: bind("validators"),
      marker: bind("marker"),
    })
    .onConflictDoUpdate({
      target: t.sourceCheck.sourceId,
      set: {
        attemptedAt: bound("attemptedAt"),
        outcome: bound("outcome"),
        code: bound("code"),
        detail: bound("detail"),
        failures: bound("failures"),
        retryAfterUntil: bound("retryAfterUntil"),
        checkedAt: bound("checkedAt"),
        checkedSnapshotId: bound("checkedSnapshotId"),
        filesCheckedAt: bound("filesCheckedAt"),
        validators: bound("validators"),
        marker: bound("marker"),
      },
    })
    .returning({ sourceId: t.sourceCheck.sourceId }),
)

const markConfirmed = query((db, t) =>
  db
    .update(t.sourceSnapshot)
    .set({ confirmedAt: bound("at") })
    .where(and(eq(t.sourceSnapshot.snapshotId, bind("snapshotId")), eq(t.sourceSnapshot.sourceId, bind("sourceId"))))
    .returning({ snapshotId: t.sourceSnapshot.snapshotId }),
)

/** The publisher's time replaces the operator's, but not a time in the files. */
const date = query((db, t) =>
  db
    .update(t.sourceSnapshot)
    .set({ publishedAt: bound("lastModified"), publishedFrom: "LAST_MODIFIED" })
    .where(
      and(
        eq(t.sourceSnapshot.snapshotId, bind("snapshotId")),
        eq(t.sourceSnapshot.sourceId, bind("sourceId")),
        or(isNull(t.sourceSnapshot.publishedFrom), eq(t.sourceSnapshot.publishedFrom, "STATED")),
      ),
    )
    .returning({ snapshotId: t.sourceSnapshot.snapshotId }),
)

export function* sourceChecks(): Unit<SourceCheckRow[]> {
  return yield* rows(all)
}

export function* sourceCheck(sourceId: string): Unit<SourceCheckRow | null> {
  return (yield* first(of, { sourceId })) ?? null
}

export interface Confirmation {
  readonly sourceId: string
  /** When the publisher was queried. */
  readonly at: string
  readonly outcome: "IMPORTED" | "NOT_MODIFIED"
  readonly snapshotId: string
  /** Null when only the "what is newest" page responded; then validators and marker do not change. */
  readonly files: Pick<SourceCheckRow, "validators" | "marker"> | null
  /** INVARIANT: only the publisher's own host confirms a snapshot. A mirror holds a copy and cannot know whether the list changed. */
  readonly isPublisher: boolean
  /** RFC 3339: the time in the publisher's header for these files. It dates a snapshot that has no better time. Null without one. */
  readonly lastModified: string | null
}

/** Returns false and changes nothing when the confirmed snapshot is not active any more, because the response was about another one. */
export function* recordConfirmed(confirmation: Confirmation): Unit<boolean> {
  const { sourceId, at, outcome, snapshotId, files, isPublisher, lastModified } = confirmation
  if ((yield* activeSnapshot(sourceId))?.snapshotId !== snapshotId) return false
  const known = yield* sourceCheck(sourceId)
  const before = known?.checkedSnapshotId === snapshotId ? known.checkedAt : null
  if (isPublisher) yield* rows(markConfirmed, { sourceId, snapshotId, at })
  if (isPublisher && lastModified !== null) yield* rows(date, { sourceId, snapshotId, lastModified })
  const row: SourceCheckRow = {
    sourceId,
    attemptedAt: at,
    outcome,
    code: null,
    detail: null,
    failures: 0,
    retryAfterUntil: null,
    checkedAt: isPublisher ? at : (before ?? at),
    checkedSnapshotId: snapshotId,
    filesCheckedAt: files ? at : (known?.filesCheckedAt ?? null),
    validators: files?.validators ?? known?.validators ?? "[]",
    marker: files ? files.marker : (known?.marker ?? null),
  }
  yield* rows(put, { ...row })
  return true
}

type UnmetCheck = Pick<SourceCheckRow, "sourceId" | "code" | "detail" | "retryAfterUntil"> & {
  readonly at: string
  readonly outcome: "REFUSED" | "FAILED"
}

/** Keeps what is known of the active snapshot: a failure today does not undo an earlier response. */
export function* recordUnmet({ at, ...unmet }: UnmetCheck): Unit<SourceCheckRow> {
  const known = yield* sourceCheck(unmet.sourceId)
  const row: SourceCheckRow = {
    ...unmet,
    attemptedAt: at,
    failures: unmet.outcome === "FAILED" ? (known?.failures ?? 0) + 1 : 0,
    checkedAt: known?.checkedAt ?? null,
    checkedSnapshotId: known?.checkedSnapshotId ?? null,
    filesCheckedAt: known?.filesCheckedAt ?? null,
    validators: known?.validators ?? "[]",
    marker: known?.marker ?? null,
  }
  yield* rows(put, { ...row })
  return row
}

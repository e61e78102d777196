/** Imported snapshots, the one of each source that is active, and what the last try to import came to: read. */
import { and, asc, desc, eq, ne } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../unit.ts"

/** One publication. KEPT can be rolled back to; WITHDRAWN was rolled back from; of DROPPED only this row is left. */
export interface SnapshotRow {
  readonly snapshotId: string
  readonly sourceId: string
  readonly sourceUrl: string
  readonly sourceVersion: string
  readonly sourceTimestamp: string | null
  readonly retrievedAt: string
  readonly parserVersion: string
  /** `sha256:` and hex, as `partiesSha256`. */
  readonly rawSha256: string
  readonly partiesSha256: string
  /** JSON of the adapter's counts. */
  readonly counts: string
  readonly entries: number
  /** JSON array of the manifest's files: {name, sha256, bytes, last_modified}. */
  readonly files: string
  /** JSON array of findings. */
  readonly findings: string
  readonly importedAt: string
  readonly state: "ACTIVE" | "KEPT" | "WITHDRAWN" | "DROPPED"
  /** When the publisher published it; null where nothing says so. */
  readonly publishedAt: string | null
  readonly publishedFrom: PublishedFrom | null
  /** When the publisher's own host last gave or confirmed these bytes; null where it never did. */
  readonly confirmedAt: string | null
  /** Whether it reached the least size of its list when it was imported; null where an earlier release imported it. */
  readonly size: "WHOLE" | "UNDER_LEAST" | null
  /** 1 where a live directory would have refused it and a test directory took it. */
  readonly isSample: number
  /** JSON array of {@link Acceptance}. */
  readonly acceptances: string
  /**
   * What it was read from, whatever the files are called: SHA-256 of each file that was used, unpacked, in hex, sorted, one space between.
   * Where an earlier release imported it: of all its files, as they came.
   */
  readonly content: string | null
}

/** The publisher's bytes, the file name, the publisher's HTTP header, or the operator. */
export type PublishedFrom = "CONTENT" | "FILE_NAME" | "LAST_MODIFIED" | "STATED"

/** The operator took these bytes although they are old or few. */
export interface Acceptance {
  readonly what: "OLD" | "SMALL"
  readonly reason: string
  /** RFC 3339. */
  readonly at: string
}

export interface AttemptRow {
  readonly sourceId: string
  readonly at: string
  readonly outcome: "IMPORTED" | "REFUSED" | "ROLLED_BACK"
  readonly rawSha256: string
  /** JSON array of findings. */
  readonly findings: string
  /** 1 while the publisher is known to have published something that could not be read. */
  readonly schemaBreak: number
  /** What that publication states as its time, if anything. */
  readonly breakPublished: string | null
}

const active = query((db, t) =>
  db
    .select()
    .from(t.sourceSnapshot)
    .where(eq(t.sourceSnapshot.state, "ACTIVE"))
    .orderBy(asc(t.sourceSnapshot.sourceId)),
)
const activeOf = query((db, t) =>
  db
    .select()
    .from(t.sourceSnapshot)
    .where(and(eq(t.sourceSnapshot.sourceId, bind("sourceId")), eq(t.sourceSnapshot.state, "ACTIVE"))),
)
const onDisk = query((db, t) =>
  db
    .select()
    .from(t.sourceSnapshot)
    .where(and(eq(t.sourceSnapshot.sourceId, bind("sourceId")), ne(t.sourceSnapshot.state, "DROPPED")))
    .orderBy(desc(t.sourceSnapshot.importedAt), desc(t.sourceSnapshot.snapshotId)),
)
const attempts = query((db, t) => db.select().from(t.sourceAttempt).orderBy(asc(t.sourceAttempt.sourceId)))
const attemptOf = query((db, t) =>
  db
    .select()
    .from(t.sourceAttempt)
    .where(eq(t.sourceAttempt.sourceId, bind("sourceId"))),
)
const newestEvent = query((db, t) =>
  db.select({ id: t.sourceEvent.id }).from(t.sourceEvent).orderBy(desc(t.sourceEvent.id)).limit(1),
)

const times = query((db, t) =>
  db
    .select({
      snapshotId: t.sourceSnapshot.snapshotId,
      confirmedAt: t.sourceSnapshot.confirmedAt,
      publishedAt: t.sourceSnapshot.publishedAt,
      publishedFrom: t.sourceSnapshot.publishedFrom,
    })
    .from(t.sourceSnapshot)
    .where(eq(t.sourceSnapshot.state, "ACTIVE")),
)

/** What a confirmation may change of a snapshot. */
export type ConfirmedTimes = Pick<SnapshotRow, "confirmedAt" | "publishedAt" | "publishedFrom">

/** Of each active snapshot, by its id. */
export function* confirmedTimes(): Unit<ReadonlyMap<string, ConfirmedTimes>> {
  return new Map((yield* rows(times)).map(({ snapshotId, ...rest }) => [snapshotId, rest]))
}

export function* activeSnapshots(): Unit<SnapshotRow[]> {
  return yield* rows(active)
}

export function* activeSnapshot(sourceId: string): Unit<SnapshotRow | null> {
  return (yield* first(activeOf, { sourceId })) ?? null
}

/** Every snapshot of a source whose bytes are kept, newest import first. */
export function* snapshotsOnDisk(sourceId: string): Unit<SnapshotRow[]> {
  return yield* rows(onDisk, { sourceId })
}

export function* lastAttempts(): Unit<AttemptRow[]> {
  return yield* rows(attempts)
}

export function* lastAttempt(sourceId: string): Unit<AttemptRow | null> {
  return (yield* first(attemptOf, { sourceId })) ?? null
}

/** Grows with every import, refusal and rollback; 0 before the first. */
export function* sourceGeneration(): Unit<number> {
  return (yield* first(newestEvent))?.id ?? 0
}

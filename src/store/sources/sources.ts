/** Reads imported snapshots, the active one of each source, and the result of the last import. */
import { and, asc, desc, eq, ne } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { changeCount } from "./change-counts.ts"

/** One publication. KEPT: a rollback to it is possible. WITHDRAWN: it was rolled back from. DROPPED: only this row remains. */
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
  /** When the publisher published it; null when no source states it. */
  readonly publishedAt: string | null
  readonly publishedFrom: PublishedFrom | null
  /** When the publisher's own host last gave or confirmed these bytes; null when it never did. */
  readonly confirmedAt: string | null
  /** Whether it reached the minimum size of its list at import; null for an import by an earlier release. */
  readonly size: "WHOLE" | "UNDER_LEAST" | null
  /** 1 when a live directory would have refused it and a test directory accepted it. */
  readonly isSample: number
  /** JSON array of {@link Acceptance}. */
  readonly acceptances: string
  /**
   * Identifies the content independently of file names: SHA-256 of each used file, unpacked, in hex, sorted, separated by one space. For an
   * import by an earlier release: of all its files, as received.
   */
  readonly content: string | null
}

/** The publisher's bytes, the file name, the publisher's HTTP header, or the operator. */
export type PublishedFrom = "CONTENT" | "FILE_NAME" | "LAST_MODIFIED" | "STATED"

/** The operator accepted these bytes although they are old or few. */
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
  /** 1 while the publisher is known to have published something unreadable. */
  readonly schemaBreak: number
  /** The time that this publication states, if any. */
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

/** Members of a snapshot that a confirmation may change. */
export type ConfirmedTimes = Pick<SnapshotRow, "confirmedAt" | "publishedAt" | "publishedFrom">

/** For each active snapshot, by its id. */
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
  return yield* changeCount("SOURCES")
}

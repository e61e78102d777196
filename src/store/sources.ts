/** Imported snapshots, the one of each source that is active, and what the last try to import came to: read. */
import { and, asc, desc, eq, ne } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "./unit.ts"

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

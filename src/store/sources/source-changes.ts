/** Changes of a source: an import, a refused import, a rollback. Each is one unit and adds one row to the history. */
import { and, desc, eq, ne, notExists, sql } from "drizzle-orm"
import { instant } from "../../core/time.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { countChange } from "./change-counts.ts"
import { recordAcceptance } from "./source-acceptances.ts"
import { type Acceptance, type AttemptRow, activeSnapshot, lastAttempt, type SnapshotRow } from "./sources.ts"

/** Good snapshots of a source that are kept, in addition to those that deliveries name (rulings 17). */
const SNAPSHOTS_KEPT = 3
/** A unit has a statement limit. The next import deletes the rest. */
const DROPPED_AT_ONCE = 500
/** For a snapshot whose bytes the database has: each of its files takes two statements more. */
export const DROPPED_WITH_FILES_AT_ONCE = 20
/** Sorts after every RFC 3339 instant. */
const AFTER_EVERY_INSTANT = "~"

const insert = query((db, t) =>
  db
    .insert(t.sourceSnapshot)
    .values({
      snapshotId: bind("snapshotId"),
      sourceId: bind("sourceId"),
      sourceUrl: bind("sourceUrl"),
      sourceVersion: bind("sourceVersion"),
      sourceTimestamp: bind("sourceTimestamp"),
      retrievedAt: bind("retrievedAt"),
      parserVersion: bind("parserVersion"),
      rawSha256: bind("rawSha256"),
      partiesSha256: bind("partiesSha256"),
      counts: bind("counts"),
      entries: bind("entries"),
      files: bind("files"),
      findings: bind("findings"),
      importedAt: bind("importedAt"),
      state: "ACTIVE",
      publishedAt: bind("publishedAt"),
      publishedFrom: bind("publishedFrom"),
      confirmedAt: bind("confirmedAt"),
      size: bind("size"),
      isSample: bind("isSample"),
      acceptances: bind("acceptances"),
      content: bind("content"),
    })
    .returning({ snapshotId: t.sourceSnapshot.snapshotId }),
)
const move = query((db, t) =>
  db
    .update(t.sourceSnapshot)
    .set({ state: bound("to") })
    .where(and(eq(t.sourceSnapshot.snapshotId, bind("snapshotId")), eq(t.sourceSnapshot.state, bind("from"))))
    .returning({ snapshotId: t.sourceSnapshot.snapshotId }),
)
const newestGood = query((db, t) =>
  db
    .select({ snapshotId: t.sourceSnapshot.snapshotId, importedAt: t.sourceSnapshot.importedAt })
    .from(t.sourceSnapshot)
    .where(
      and(
        eq(t.sourceSnapshot.sourceId, bind("sourceId")),
        ne(t.sourceSnapshot.state, "DROPPED"),
        ne(t.sourceSnapshot.state, "WITHDRAWN"),
      ),
    )
    .orderBy(desc(t.sourceSnapshot.importedAt), desc(t.sourceSnapshot.snapshotId))
    .limit(SNAPSHOTS_KEPT),
)
const unnamedBefore = query((db, t) =>
  db
    .select({ snapshotId: t.sourceSnapshot.snapshotId, state: t.sourceSnapshot.state })
    .from(t.sourceSnapshot)
    .where(
      and(
        eq(t.sourceSnapshot.sourceId, bind("sourceId")),
        ne(t.sourceSnapshot.state, "DROPPED"),
        ne(t.sourceSnapshot.state, "ACTIVE"),
        sql`(${t.sourceSnapshot.importedAt}, ${t.sourceSnapshot.snapshotId}) < (${bind("importedAt")}, ${bind("snapshotId")})`,
        notExists(
          db
            .select({ requestId: t.deliverySnapshot.requestId })
            .from(t.deliverySnapshot)
            .where(eq(t.deliverySnapshot.snapshotId, t.sourceSnapshot.snapshotId)),
        ),
        // A process that answers from it may deliver with it.
        notExists(
          db
            .select({ instanceId: t.instanceSnapshot.instanceId })
            .from(t.instanceSnapshot)
            .where(eq(t.instanceSnapshot.snapshotId, t.sourceSnapshot.snapshotId)),
        ),
      ),
    )
    .orderBy(desc(t.sourceSnapshot.importedAt), desc(t.sourceSnapshot.snapshotId))
    .limit(bind("limit")),
)
const keptBefore = query((db, t) =>
  db
    .select()
    .from(t.sourceSnapshot)
    .where(
      and(
        eq(t.sourceSnapshot.sourceId, bind("sourceId")),
        ne(t.sourceSnapshot.state, "DROPPED"),
        eq(t.sourceSnapshot.state, "KEPT"),
        sql`(${t.sourceSnapshot.importedAt}, ${t.sourceSnapshot.snapshotId}) < (${bind("importedAt")}, ${bind("snapshotId")})`,
      ),
    )
    .orderBy(desc(t.sourceSnapshot.importedAt), desc(t.sourceSnapshot.snapshotId))
    .limit(1),
)
const putAttempt = query((db, t) =>
  db
    .insert(t.sourceAttempt)
    .values({
      sourceId: bind("sourceId"),
      at: bind("at"),
      outcome: bind("outcome"),
      rawSha256: bind("rawSha256"),
      findings: bind("findings"),
      schemaBreak: bind("schemaBreak"),
      breakPublished: bind("breakPublished"),
    })
    .onConflictDoUpdate({
      target: t.sourceAttempt.sourceId,
      set: {
        at: bound("at"),
        outcome: bound("outcome"),
        rawSha256: bound("rawSha256"),
        findings: bound("findings"),
        schemaBreak: bound("schemaBreak"),
        breakPublished: bound("breakPublished"),
      },
    })
    .returning({ sourceId: t.sourceAttempt.sourceId }),
)
const putEvent = query((db, t) =>
  db
    .insert(t.sourceEvent)
    .values({
      sourceId: bind("sourceId"),
      at: bind("at"),
      kind: bind("kind"),
      snapshotId: bind("snapshotId"),
      rawSha256: bind("rawSha256"),
      detail: bind("detail"),
    })
    .returning({ id: t.sourceEvent.id }),
)

type Break = Pick<AttemptRow, "schemaBreak" | "breakPublished">
const NO_BREAK: Break = { schemaBreak: 0, breakPublished: null }

/**
 * Makes a new snapshot the active one and records what the operator accepted of it. Returns false and changes nothing when the active one
 * is not `expectedActive`, because then the guards compared with another snapshot.
 */
export function* activateImported(
  snapshot: Omit<SnapshotRow, "state">,
  expectedActive: string | null,
  accepted: readonly Acceptance[] = [],
): Unit<boolean> {
  const current = yield* activeSnapshot(snapshot.sourceId)
  if ((current?.snapshotId ?? null) !== expectedActive) return false
  if (current) yield* rows(move, { snapshotId: current.snapshotId, from: "ACTIVE", to: "KEPT" })
  yield* rows(insert, { ...snapshot })
  const known = yield* knownBreak(snapshot.sourceId)
  const { sourceId, importedAt, snapshotId, rawSha256, findings, content } = snapshot
  const left = isOlder(snapshot.sourceTimestamp, known.breakPublished) ? known : NO_BREAK
  yield* note({ sourceId, at: importedAt, outcome: "IMPORTED", rawSha256, findings, ...left }, snapshotId)
  for (const { what, reason, at } of accepted)
    yield* recordAcceptance({ sourceId, at, rawSha256, what, reason, snapshotId, content })
  return true
}

/** Changes only the record. `announced`: the publication that these bytes announce but do not contain in readable form, if any. */
export function* recordRefusal(
  refusal: Pick<AttemptRow, "sourceId" | "at" | "rawSha256" | "findings">,
  announced: { readonly published: string | null } | null,
): Unit<void> {
  const known = yield* knownBreak(refusal.sourceId)
  const told = announced ? { schemaBreak: 1, breakPublished: announced.published } : known
  yield* note({ ...refusal, outcome: "REFUSED", ...told }, null)
}

/** The newest kept snapshot before the active one: the target of a rollback. */
export function* rollbackTarget(sourceId: string): Unit<SnapshotRow | null> {
  const active = yield* activeSnapshot(sourceId)
  const { importedAt, snapshotId } = active ?? { importedAt: AFTER_EVERY_INSTANT, snapshotId: "" }
  return (yield* first(keptBefore, { sourceId, importedAt, snapshotId })) ?? null
}

/** Returns false and changes nothing when `target` is not the rollback target any more. A known schema break stays known. */
export function* rollBackTo(target: SnapshotRow, at: string): Unit<boolean> {
  const { sourceId, snapshotId, rawSha256 } = target
  const current = yield* activeSnapshot(sourceId)
  if (!current || (yield* rollbackTarget(sourceId))?.snapshotId !== snapshotId) return false
  yield* rows(move, { snapshotId: current.snapshotId, from: "ACTIVE", to: "WITHDRAWN" })
  yield* rows(move, { snapshotId, from: "KEPT", to: "ACTIVE" })
  const known = yield* knownBreak(sourceId)
  yield* note({ sourceId, at, outcome: "ROLLED_BACK", rawSha256, findings: "[]", ...known }, snapshotId)
  return true
}

/**
 * Drops snapshots that are not among the newest good ones, that no delivery names and from which no process answers, at most `limit`. Returns their
 * ids; the caller may then remove their folders. A snapshot that was rolled back from does not count as good, so it cannot displace a rollback
 * target.
 */
export function* dropOldSnapshots(sourceId: string, limit = DROPPED_AT_ONCE): Unit<string[]> {
  const last = (yield* rows(newestGood, { sourceId }))[SNAPSHOTS_KEPT - 1]
  if (!last) return []
  const beyond = yield* rows(unnamedBefore, { sourceId, ...last, limit })
  for (const { snapshotId, state } of beyond) yield* rows(move, { snapshotId, from: state, to: "DROPPED" })
  return beyond.map(({ snapshotId }) => snapshotId)
}

function* knownBreak(sourceId: string): Unit<Break> {
  const attempt = yield* lastAttempt(sourceId)
  return attempt ? { schemaBreak: attempt.schemaBreak, breakPublished: attempt.breakPublished } : NO_BREAK
}

/** Whether `published` is older than `broken`, so that an import of it does not yet resolve the broken publication. */
export function isOlder(published: string | null, broken: string | null): boolean {
  return published !== null && broken !== null && instant(published) < instant(broken)
}

function* note(attempt: AttemptRow, snapshotId: string | null): Unit<void> {
  yield* rows(putAttempt, { ...attempt })
  const { sourceId, at, outcome, rawSha256, findings } = attempt
  yield* rows(putEvent, { sourceId, at, kind: outcome, snapshotId, rawSha256, detail: findings })
  yield* countChange("SOURCES")
}

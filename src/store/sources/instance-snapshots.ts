/** From which snapshot of each list a process answers. Each process writes rows of its own. */
import { and, asc, eq, lt, notExists } from "drizzle-orm"
import { bind, bound, changed, query, rows, type Unit, write } from "../engine/unit.ts"

interface Answered {
  readonly sourceId: string
  readonly snapshotId: string
}

export interface InstanceSnapshot extends Answered {
  readonly instanceId: string
  /** RFC 3339: when the process began to answer from it. */
  readonly since: string
}

const put = write((db, { instanceSnapshot: t }) =>
  db
    .insert(t)
    .values({
      instanceId: bind("instanceId"),
      sourceId: bind("sourceId"),
      snapshotId: bind("snapshotId"),
      since: bind("since"),
    })
    .onConflictDoUpdate({
      target: [t.instanceId, t.sourceId],
      set: { snapshotId: bound("snapshotId"), since: bound("since") },
    }),
)
const remove = write((db, { instanceSnapshot: t }) =>
  db.delete(t).where(and(eq(t.instanceId, bind("instanceId")), eq(t.sourceId, bind("sourceId")))),
)
const all = query((db, { instanceSnapshot: t }) => db.select().from(t).orderBy(asc(t.instanceId), asc(t.sourceId)))
const removeEnded = write((db, { instanceSnapshot: t, instance }) =>
  db
    .delete(t)
    .where(
      and(
        lt(t.since, bind("before")),
        notExists(
          db.select({ instanceId: instance.instanceId }).from(instance).where(eq(instance.instanceId, t.instanceId)),
        ),
      ),
    ),
)

interface Change {
  readonly instanceId: string
  /** Lists whose snapshot changed. */
  readonly answered: readonly Answered[]
  /** Ids of lists that it does not answer from any more. */
  readonly left: readonly string[]
}

/** `since` is RFC 3339. */
export function* recordAnswered({ instanceId, answered, left }: Change, since: string): Unit<void> {
  for (const { sourceId, snapshotId } of answered) yield* changed(put, { instanceId, sourceId, snapshotId, since })
  for (const sourceId of left) yield* changed(remove, { instanceId, sourceId })
}

export function* instanceSnapshots(): Unit<InstanceSnapshot[]> {
  return yield* rows(all)
}

/**
 * Removes rows from before `before` (RFC 3339) of processes that have no row of their own any more; returns how many. A process that starts has
 * none for a moment.
 */
export function* purgeInstanceSnapshots(before: string): Unit<number> {
  return yield* changed(removeEnded, { before })
}

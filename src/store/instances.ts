/** Processes that serve. Each writes a row of its own, so that no two of them, and no unit that sells, write the same row. */
import { asc, eq, type InferSelectModel, lt, sql } from "drizzle-orm"
import { INSTANCE_ALIVE_MS } from "../../db/instance-alive.ts"
import { instant } from "../core/time.ts"
import { bind, changed, query, rows, type Tables, type Unit, write } from "./engine/unit.ts"

export type Instance = InferSelectModel<Tables["instance"]>

const put = write((db, { instance: t }) =>
  db
    .insert(t)
    .values({
      instanceId: bind("instanceId"),
      host: bind("host"),
      pid: bind("pid"),
      release: bind("release"),
      startedAt: bind("startedAt"),
      seenAt: bind("seenAt"),
    })
    .onConflictDoUpdate({ target: t.instanceId, set: { seenAt: sql`excluded.seen_at` } }),
)

const remove = write((db, { instance: t }) => db.delete(t).where(eq(t.instanceId, bind("instanceId"))))

const purge = write((db, { instance: t }) => db.delete(t).where(lt(t.seenAt, bind("before"))))

const all = query((db, { instance: t }) => db.select().from(t).orderBy(asc(t.startedAt), asc(t.instanceId)))

/**
 * A clean stop removes the row. So a row that is old is of a process that was killed, hangs, or does not reach the database. `now`: milliseconds by the
 * clock of the database.
 */
export function isAlive({ seenAt }: Pick<Instance, "seenAt">, now: number): boolean {
  return Math.abs(now - instant(seenAt)) <= INSTANCE_ALIVE_MS
}

/** Writes the row of a process that serves now. It also proves that the database accepts a write. */
export function* recordInstance(instance: Instance): Unit<void> {
  yield* changed(put, { ...instance })
}

/** The process serves no more. */
export function* removeInstance(instanceId: string): Unit<void> {
  yield* changed(remove, { instanceId })
}

/** Longest serving first; also those that ended without a clean stop less than a day ago. */
export function* listInstances(): Unit<Instance[]> {
  return yield* rows(all)
}

/** Removes the rows of processes that wrote nothing since `before`; returns how many. */
export function* purgeInstances(before: string): Unit<number> {
  return yield* changed(purge, { before })
}

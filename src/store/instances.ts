/** Processes that serve. Each writes a row of its own, so that no two of them, and no unit that sells, write the same row. */
import { lt, sql } from "drizzle-orm"
import { bind, changed, type Unit, write } from "./engine/unit.ts"

const put = write((db, { instance: t }) =>
  db
    .insert(t)
    .values({ instanceId: bind("instanceId"), seenAt: bind("seenAt") })
    .onConflictDoUpdate({ target: t.instanceId, set: { seenAt: sql`excluded.seen_at` } }),
)

const purge = write((db, { instance: t }) => db.delete(t).where(lt(t.seenAt, bind("before"))))

/** Proves that the database accepts a write. `at`: RFC 3339. */
export function* probeWrite(instanceId: string, at: string): Unit<boolean> {
  return (yield* changed(put, { instanceId, seenAt: at })) === 1
}

/** Removes the rows of processes that wrote nothing since `before`; returns how many. */
export function* purgeInstances(before: string): Unit<number> {
  return yield* changed(purge, { before })
}

/** How long settlements have been under way: what readiness judges. */
import { asc, eq } from "drizzle-orm"
import { first, query, type Unit } from "./unit.ts"

const oldest = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id, since: t.paymentAttempt.updatedAt })
    .from(t.paymentAttempt)
    .where(eq(t.paymentAttempt.state, "SETTLING"))
    .orderBy(asc(t.paymentAttempt.updatedAt))
    .limit(1),
)

/** The attempt that has been SETTLING the longest, and since when (RFC 3339); null when none is. */
export function* oldestSettling(): Unit<{ readonly id: string; readonly since: string } | null> {
  return (yield* first(oldest, {})) ?? null
}

/** Continuations of planning that were used. One request uses a continuation; the same request may use it again. */
import { eq, lte } from "drizzle-orm"
import { bind, changed, first, query, rows, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { PURGED_AT_ONCE, purgeOf } from "../purge.ts"

const byId = query((db, { planningContinuation: t }) =>
  db
    .select({ usedBy: t.usedBy })
    .from(t)
    .where(eq(t.continuationId, bind("continuationId"))),
)

const insert = query((db, { planningContinuation: t }) =>
  db
    .insert(t)
    .values({ continuationId: bind("continuationId"), usedBy: bind("usedBy"), expiresAt: bind("expiresAt") })
    .onConflictDoNothing()
    .returning({ continuationId: t.continuationId }),
)

const purge = purgeOf(({ planningContinuation: t }) => ({
  key: [t.continuationId],
  where: lte(t.expiresAt, bind("now")),
  order: [t.expiresAt, t.continuationId],
}))

export interface ContinuationUse {
  readonly continuationId: string
  /** Names the operation and the request. */
  readonly usedBy: string
  readonly expiresAt: string
}

/** Returns whether another request has used the continuation. */
export function* isContinuationUsed({ continuationId, usedBy }: Omit<ContinuationUse, "expiresAt">): Unit<boolean> {
  const found = yield* first(byId, { continuationId })
  return found !== undefined && found.usedBy !== usedBy
}

/** USED_BY_OTHER: another request has used it. */
type UseOutcome = { readonly kind: "USED" | "USED_BY_OTHER" } | NotAdmitted

/** Uses the continuation for one request. */
export function* useContinuation(use: ContinuationUse, writer: FreeWriter): Unit<UseOutcome> {
  const known = yield* first(byId, { continuationId: use.continuationId })
  if (known) return { kind: known.usedBy === use.usedBy ? "USED" : "USED_BY_OTHER" }
  const refused = yield* admit("CONTINUATIONS", writer)
  if (refused) return refused
  yield* rows(insert, { ...use })
  return { kind: "USED" }
}

/** Removes at most {@link PURGED_AT_ONCE} expired rows, the oldest first; returns how many. */
export function* purgeContinuations(now: string): Unit<number> {
  return yield* changed(purge, { now })
}

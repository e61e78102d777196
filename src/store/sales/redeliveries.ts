/** Entitlements to one more decision, granted when a paid decision arrived expired (rulings 41). */
import { and, asc, eq, gt, isNull } from "drizzle-orm"
import { formatInstant, HOUR, instant } from "../../core/time.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { indexedKey } from "../indexed-key.ts"
import { voidBefore } from "../restores.ts"

/** How long the entitlement lasts (rulings 41). */
export const REDELIVERY_MS = 24 * HOUR

interface Redelivery {
  /** The request whose decision arrived expired. */
  readonly requestId: string
  readonly scope: string
  /** The subject of the request, as its hold named it. */
  readonly subject: string
  readonly until: string
}

const insert = query((db, t) =>
  db
    .insert(t.redelivery)
    .values({ requestId: bind("requestId"), scope: bind("scope"), subject: bind("subject"), until: bind("until") })
    .onConflictDoNothing()
    .returning({ requestId: t.redelivery.requestId }),
)

export function* grantRedelivery(redelivery: Redelivery): Unit<void> {
  yield* rows(insert, { ...redelivery, subject: indexedKey(redelivery.subject) })
}

const open = query((db, t) =>
  db
    .select({ requestId: t.redelivery.requestId })
    .from(t.redelivery)
    .where(
      and(
        eq(t.redelivery.scope, bind("scope")),
        eq(t.redelivery.subject, bind("subject")),
        isNull(t.redelivery.usedBy),
        gt(t.redelivery.until, bind("now")),
      ),
    )
    .orderBy(asc(t.redelivery.until), asc(t.redelivery.requestId))
    .limit(1),
)

/** The request whose late decision may be replaced now, or null. One granted before a restore may be used up, so it ends with the restore. */
export function* openRedelivery(scope: string, subject: string, now: string): Unit<string | null> {
  const asked = { scope, subject: indexedKey(subject) }
  const found = yield* first(open, { ...asked, now })
  const before = found ? yield* voidBefore() : null
  if (before === null) return found?.requestId ?? null
  const endsAfter = formatInstant(Math.max(instant(now), before + REDELIVERY_MS))
  return (yield* first(open, { ...asked, now: endsAfter }))?.requestId ?? null
}

const use = query((db, t) =>
  db
    .update(t.redelivery)
    .set({ usedBy: bound("usedBy") })
    .where(and(eq(t.redelivery.requestId, bind("requestId")), isNull(t.redelivery.usedBy)))
    .returning({ requestId: t.redelivery.requestId }),
)

/** Returns false when another request has used it. */
export function* useRedelivery(requestId: string, usedBy: string): Unit<boolean> {
  return (yield* first(use, { requestId, usedBy })) !== undefined
}

import { desc } from "drizzle-orm"
import { first, query, type Unit } from "../engine/unit.ts"

const newest = query((db, { paymentEvent: t }) => db.select({ at: t.at }).from(t).orderBy(desc(t.id)).limit(1))

/** When the newest step of a payment was stored, RFC 3339. Null if there is none. */
export function* newestPaymentAt(): Unit<string | null> {
  return (yield* first(newest))?.at ?? null
}

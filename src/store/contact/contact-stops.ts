/**
 * Mailboxes that opted out of contact by e-mail. PROVED: by an authenticated message of the mailbox. UNPROVED: over HTTP, where anybody may
 * name any mailbox. Both have a fixed size and their own room, so inventing mailboxes ends contact for nobody.
 */
import { and, eq, lt, sql } from "drizzle-orm"
import { mailboxKey } from "../../core/mailbox.ts"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { areFirst, PURGED_AT_ONCE } from "../purge.ts"

type StopSource = "PROVED" | "UNPROVED"

/**
 * CHOICE: opt-outs without a proof are kept exactly, not as a filter that may be wrong about a mailbox, so none is stopped by chance. When
 * they are full, the oldest makes room: at 2,500 a day each holds for a hundred days at least, and for ever while nobody invents any. Who is
 * forgotten may get a message again, at most three a day, and each names STOP. Whoever was stopped by a stranger lifts it by an
 * authenticated message of the mailbox.
 */
export const STOPS_UNPROVED_MAX = 250_000
/** CHOICE: when these are full, the oldest of the same domain makes room, so one domain cannot push out the opt-outs of another. */
export const STOPS_PROVED_MAX = 1_000_000

type StopsMax = Readonly<Record<StopSource, number>>
const STOPS_MAX: StopsMax = { PROVED: STOPS_PROVED_MAX, UNPROVED: STOPS_UNPROVED_MAX }

const insert = query((db, { contactStop: t }) =>
  db
    .insert(t)
    .values({ mailbox: bind("mailbox"), domain: bind("domain"), stoppedAt: bind("stoppedAt"), source: bind("source") })
    .onConflictDoNothing()
    .returning({ mailbox: t.mailbox }),
)

const byMailbox = query((db, { contactStop: t }) =>
  db
    .select({ stoppedAt: t.stoppedAt, source: t.source })
    .from(t)
    .where(eq(t.mailbox, bind("mailbox"))),
)

const prove = write((db, { contactStop: t }) =>
  db
    .update(t)
    .set({ source: "PROVED" })
    .where(eq(t.mailbox, bind("mailbox"))),
)

const lift = query((db, { contactStop: t }) =>
  db
    .delete(t)
    .where(and(eq(t.mailbox, bind("mailbox")), lt(t.stoppedAt, bind("liftedAt"))))
    .returning({ source: t.source }),
)

const countOf = query((db, { contactStopCount: t }) =>
  db
    .select({ stops: t.stops })
    .from(t)
    .where(eq(t.source, bind("source"))),
)

const count = write((db, { contactStopCount: t }) =>
  db
    .update(t)
    .set({ stops: sql`${t.stops} + ${bound("more")}` })
    .where(eq(t.source, bind("source"))),
)

const dropOldest = query((db, { contactStop: t }) =>
  db
    .delete(t)
    .where(areFirst(db, { key: [t.id], where: eq(t.source, bind("source")), order: [t.id], limit: bind("limit") }))
    .returning({ id: t.id }),
)

const dropOldestOfDomain = query((db, { contactStop: t }) =>
  db
    .delete(t)
    .where(
      areFirst(db, {
        key: [t.id],
        where: and(eq(t.source, bind("source")), eq(t.domain, bind("domain"))),
        order: [t.id],
        limit: 1,
      }),
    )
    .returning({ id: t.id }),
)

/** Records the opt-out of an authenticated mailbox. A repeated one changes nothing. `stoppedAt` in RFC 3339. */
export function* recordProvedStop(mailbox: string, stoppedAt: string, most = STOPS_MAX): Unit<void> {
  const key = mailboxKey(mailbox)
  const known = yield* first(byMailbox, { mailbox: key })
  if (known?.source === "PROVED") return
  yield* makeSpace("PROVED", domainOf(key), most)
  if (known) {
    yield* changed(prove, { mailbox: key })
    yield* add("UNPROVED", -1)
  } else {
    yield* first(insert, { mailbox: key, domain: domainOf(key), stoppedAt, source: "PROVED" })
  }
  yield* add("PROVED", 1)
}

/**
 * Records an opt-out that anybody may send. Each counts for the share of its address, also a repeated one: otherwise the answer would say
 * who opted out before.
 */
export function* recordUnprovedStop(
  mailbox: string,
  stoppedAt: string,
  writer: FreeWriter,
  most = STOPS_MAX,
): Unit<NotAdmitted | null> {
  const refused = yield* admit("STOPS_UNPROVED", writer)
  if (refused) return refused
  const key = mailboxKey(mailbox)
  if (yield* first(byMailbox, { mailbox: key })) return null
  yield* makeSpace("UNPROVED", domainOf(key), most)
  yield* first(insert, { mailbox: key, domain: domainOf(key), stoppedAt, source: "UNPROVED" })
  yield* add("UNPROVED", 1)
  return null
}

/** Lifts an opt-out that is older than `liftedAt` (RFC 3339). Call it only for an authenticated message of the mailbox. */
export function* liftContactStop(mailbox: string, liftedAt: string): Unit<void> {
  const lifted = yield* first(lift, { mailbox: mailboxKey(mailbox), liftedAt })
  if (lifted) yield* add(lifted.source, -1)
}

/** Returns the time of the opt-out in force, or null. */
export function* findContactStop(mailbox: string): Unit<string | null> {
  return (yield* first(byMailbox, { mailbox: mailboxKey(mailbox) }))?.stoppedAt ?? null
}

export function* countStops(source: StopSource): Unit<number> {
  return (yield* first(countOf, { source }))?.stops ?? 0
}

function* makeSpace(source: StopSource, domain: string, most: StopsMax): Unit<void> {
  const over = (yield* countStops(source)) + 1 - most[source]
  if (over <= 0) return
  const ofDomain = source === "PROVED" ? yield* rows(dropOldestOfDomain, { source, domain }) : []
  const dropped =
    ofDomain.length > 0 ? ofDomain : yield* rows(dropOldest, { source, limit: Math.min(over, PURGED_AT_ONCE) })
  yield* add(source, -dropped.length)
}

function* add(source: StopSource, more: number): Unit<void> {
  yield* changed(count, { source, more })
}

function domainOf(key: string): string {
  return key.slice(key.lastIndexOf("@") + 1)
}

/** Mailboxes that opted out of contact by e-mail. No row is removed: a later message of the mailbox lifts its opt-out. */
import { and, eq, isNotNull, isNull, lt, max } from "drizzle-orm"
import { mailboxKey } from "../../core/mailbox.ts"
import { bind, bound, first, query, rows, type Unit } from "../unit.ts"

export interface ContactStop {
  /** As `normalMailbox` returns it. */
  readonly mailbox: string
  /** RFC 3339. */
  readonly stoppedAt: string
  readonly source: "HTTP" | "MAIL"
}

const insert = query((db, t) =>
  db
    .insert(t.contactStop)
    .values({ mailbox: bind("mailbox"), stoppedAt: bind("stoppedAt"), source: bind("source") })
    .onConflictDoUpdate({
      target: t.contactStop.mailbox,
      set: { stoppedAt: bound("stoppedAt"), source: bound("source"), liftedAt: null },
      setWhere: isNotNull(t.contactStop.liftedAt),
    })
    .returning({ mailbox: t.contactStop.mailbox }),
)

const byMailbox = query((db, t) =>
  db
    .select({ stoppedAt: t.contactStop.stoppedAt })
    .from(t.contactStop)
    .where(and(eq(t.contactStop.mailbox, bind("mailbox")), isNull(t.contactStop.liftedAt))),
)

const lift = query((db, t) =>
  db
    .update(t.contactStop)
    .set({ liftedAt: bound("liftedAt") })
    .where(
      and(
        eq(t.contactStop.mailbox, bind("mailbox")),
        isNull(t.contactStop.liftedAt),
        lt(t.contactStop.stoppedAt, bind("liftedAt")),
      ),
    )
    .returning({ mailbox: t.contactStop.mailbox }),
)

/** Most mailboxes that may opt out. A flood of invented ones must not fill the disk. */
export const CONTACT_STOPS_MAX = 1_000_000

const newest = query((db, t) => db.select({ id: max(t.contactStop.id) }).from(t.contactStop))

/** Returns whether as many mailboxes as may be have opted out. Then no mail is sent, because no further one could opt out. */
export function* isContactStopFull(most = CONTACT_STOPS_MAX): Unit<boolean> {
  return ((yield* first(newest))?.id ?? 0) >= most
}

/**
 * Records an opt-out; a repeated one changes nothing. Returns false, for a known mailbox as for an unknown one, if there are as many as may
 * be.
 */
export function* recordContactStop(stop: ContactStop, most = CONTACT_STOPS_MAX): Unit<boolean> {
  if (yield* isContactStopFull(most)) return false
  yield* first(insert, { ...stop, mailbox: mailboxKey(stop.mailbox) })
  return true
}

/** Lifts an opt-out that is older than `liftedAt` (RFC 3339). Call it only for an authenticated message of the mailbox. */
export function* liftContactStop(mailbox: string, liftedAt: string): Unit<void> {
  yield* rows(lift, { mailbox: mailboxKey(mailbox), liftedAt })
}

/** Returns the time of the opt-out in force, or null. */
export function* findContactStop(mailbox: string): Unit<string | null> {
  return (yield* first(byMailbox, { mailbox: mailboxKey(mailbox) }))?.stoppedAt ?? null
}

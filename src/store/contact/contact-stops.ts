/** Mailboxes that opted out of contact by e-mail. Rows are only added. */
import { eq, max } from "drizzle-orm"
import { mailboxKey } from "../../core/mailbox.ts"
import { bind, first, query, type Unit } from "../unit.ts"

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
    .onConflictDoNothing()
    .returning({ mailbox: t.contactStop.mailbox }),
)

const byMailbox = query((db, t) =>
  db
    .select({ stoppedAt: t.contactStop.stoppedAt })
    .from(t.contactStop)
    .where(eq(t.contactStop.mailbox, bind("mailbox"))),
)

/** Most mailboxes that may opt out. A flood of invented ones must not fill the disk. */
export const CONTACT_STOPS_MAX = 1_000_000

const newest = query((db, t) => db.select({ id: max(t.contactStop.id) }).from(t.contactStop))

/**
 * Records an opt-out; a repeated one changes nothing. Returns false, for a known mailbox as for an unknown one, if there are as many as may
 * be.
 */
export function* recordContactStop(stop: ContactStop, most = CONTACT_STOPS_MAX): Unit<boolean> {
  if (((yield* first(newest))?.id ?? 0) >= most) return false
  yield* first(insert, { ...stop, mailbox: mailboxKey(stop.mailbox) })
  return true
}

/** Returns the time of the opt-out, or null. */
export function* findContactStop(mailbox: string): Unit<string | null> {
  return (yield* first(byMailbox, { mailbox: mailboxKey(mailbox) }))?.stoppedAt ?? null
}

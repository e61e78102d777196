/** Mailboxes that opted out of contact by e-mail. Rows are only added. */
import { eq } from "drizzle-orm"
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

/** Records an opt-out. A repeated one changes nothing. */
export function* recordContactStop(stop: ContactStop): Unit<void> {
  yield* first(insert, { ...stop })
}

/** Returns the time of the opt-out, or null. */
export function* findContactStop(mailbox: string): Unit<string | null> {
  return (yield* first(byMailbox, { mailbox }))?.stoppedAt ?? null
}

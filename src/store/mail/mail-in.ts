/** Received mail: stored before the sender is told so, processed once, then forgotten except its id. */
import { and, eq, isNotNull, isNull, lte } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, usedByDomain } from "../free-writes/admit.ts"
import { reservedOf } from "../free-writes/share.ts"
import { dropRow, dueRows, type Lease, rowsAhead, takeDue, takeRow } from "../lease.ts"
import { purgeOf } from "../purge.ts"
import type { Recipient } from "./mail-out.ts"

export type MailInRow = Tables["mailIn"]["$inferSelect"]

/** Most messages that wait to be processed. The listener puts further ones off. */
export const MAIL_WAITING_MAX = 500
/** Most messages that one call leases: each may have a quarter of a mebibyte. */
const TAKEN_AT_ONCE = 4
/**
 * CHOICE: a tenth of the places is kept for domains that sent fewer messages than this on the day. So a domain with a large share of the cap
 * does not fill the places before they are handled.
 */
const FEW_A_DAY = 10

const waiting = query((db, { mailIn: t }) =>
  db.select({ id: t.id }).from(t).where(isNotNull(t.lookAt)).limit(MAIL_WAITING_MAX),
)

/** How many received messages wait to be processed: at most {@link MAIL_WAITING_MAX}. */
export function* countWaitingMail(): Unit<number> {
  return (yield* rows(waiting)).length
}

const byId = query((db, { mailIn: t }) =>
  db
    .select({ id: t.id })
    .from(t)
    .where(eq(t.id, bind("id"))),
)
const insert = query((db, { mailIn: t }) =>
  db
    .insert(t)
    .values({
      id: bind("id"),
      raw: bind("raw"),
      receivedAt: bind("receivedAt"),
      state: bind("state"),
      reason: bind("reason"),
      attempts: 0,
      lookAt: bind("lookAt"),
    })
    .onConflictDoNothing()
    .returning({ id: t.id }),
)

export interface ReceivedMail {
  readonly id: string
  readonly raw: Uint8Array
  /** RFC 3339. */
  readonly receivedAt: string
  /** Why it is not processed; null if it is. */
  readonly dropped: string | null
  /** Authenticated; null without one. */
  readonly sender: Recipient | null
}

/** STORED: a new message. KNOWN: it was received before. FULL: it is not stored, and its sender must try again. */
export function* receiveMail(
  { id, raw, receivedAt, dropped, sender }: ReceivedMail,
  writer: FreeWriter,
): Unit<"STORED" | "KNOWN" | "FULL"> {
  if (yield* first(byId, { id })) return "KNOWN"
  const isWaiting = dropped === null
  const domain = sender?.domain ?? ""
  if (isWaiting) {
    const isOfFew = (yield* usedByDomain("MAILS_RECEIVED", writer, domain)) < FEW_A_DAY
    const places = isOfFew ? MAIL_WAITING_MAX : MAIL_WAITING_MAX - reservedOf(MAIL_WAITING_MAX)
    if ((yield* countWaitingMail()) >= places) return "FULL"
  }
  const counted = sender === null ? { domain } : { domain, mailbox: sender.mailboxKey }
  // A message that is dropped needs no row: a copy of it is dropped like the first one.
  if (yield* admit("MAILS_RECEIVED", writer, counted)) return isWaiting ? "FULL" : "KNOWN"
  yield* rows(insert, {
    id,
    raw: isWaiting ? raw : null,
    receivedAt,
    state: isWaiting ? "RECEIVED" : "DROPPED",
    reason: dropped,
    lookAt: isWaiting ? receivedAt : null,
  })
  return "STORED"
}

const mailIn = (tables: Tables) => tables.mailIn
const due = dueRows(mailIn, TAKEN_AT_ONCE)
const ahead = rowsAhead(mailIn, TAKEN_AT_ONCE)
const take = takeRow(mailIn)

/** Leases the messages that are due, longest waiting first. */
export function takeReceivedMail(lease: Lease, now: string, horizon: string): Unit<MailInRow[]> {
  return takeDue({ due, ahead, take, most: TAKEN_AT_ONCE }, lease, { now, horizon })
}

const drop = dropRow(mailIn)

/** Ends the lease of a message that had no turn. It is due now. */
export function* dropReceivedMail(id: string, owner: string, now: string): Unit<void> {
  yield* rows(drop, { id, owner, now })
}

const end = query((db, { mailIn: t }) =>
  db
    .update(t)
    .set({ state: bound("state"), reason: bound("reason"), raw: null, leaseOwner: null, lookAt: null })
    .where(and(eq(t.id, bind("id")), eq(t.leaseOwner, bind("owner")), isNotNull(t.lookAt)))
    .returning({ id: t.id }),
)

/**
 * Ends a message in the unit that does what it asks for. False: another process has it, and nothing may be done. `reason`: a code.
 */
export function* endReceivedMail(
  id: string,
  owner: string,
  state: "DONE" | "DROPPED",
  reason: string | null,
): Unit<boolean> {
  return (yield* first(end, { id, owner, state, reason })) !== undefined
}

const purge = purgeOf(({ mailIn: t }) => ({
  key: [t.id],
  where: and(lte(t.receivedAt, bind("before")), isNull(t.lookAt)),
  order: [t.receivedAt, t.id],
}))

/** Removes some messages that were received before and have ended, the oldest first; returns how many. */
export function* purgeMailIn(before: string): Unit<number> {
  return yield* changed(purge, { before })
}

/** Outgoing mail: queued with what caused it, leased by one process, sent, forgotten. */
import { and, eq, gt, isNotNull, isNull, lte } from "drizzle-orm"
import { findContactStop } from "../contact/contact-stops.ts"
import { bind, bound, changed, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { dropRow, dueRows, type Lease, releaseRow, rowsAhead, takeDue, takeRow } from "../lease.ts"
import { purgeOf } from "../purge.ts"

export type MailOutRow = Tables["mailOut"]["$inferSelect"]
type MailKind = MailOutRow["kind"]
/** How a message ended. */
type MailEnd = Exclude<MailOutRow["state"], "QUEUED">

/** Most messages that one call leases. */
export const MAILS_AT_ONCE = 8

/** Counts a challenge or a fault that an authenticated message of the mailbox causes. A reply follows a challenge that counted. */
export function admitAnswer({ mailboxKey, domain }: Recipient, writer: FreeWriter): Unit<NotAdmitted | null> {
  return admit("MAILS_BY_MAIL", writer, { domain, mailbox: mailboxKey })
}

/**
 * Counts a challenge to a mailbox that somebody names over HTTP. False: a limit of the mailbox or of its domain is reached, and the message is
 * not sent.
 */
export function* isMailAdmitted({ mailboxKey, domain }: Recipient, writer: FreeWriter): Unit<boolean> {
  return (yield* admit("MAILS_TO_DOMAIN", writer, { domain, mailbox: mailboxKey })) === null
}

const insert = query((db, { mailOut: t }) =>
  db
    .insert(t)
    .values({
      id: bind("id"),
      kind: bind("kind"),
      mailbox: bind("mailbox"),
      nullSender: bind("nullSender"),
      raw: bind("raw"),
      state: bind("state"),
      attempts: 0,
      createdAt: bind("createdAt"),
      giveUpAt: bind("giveUpAt"),
      lookAt: bind("lookAt"),
    })
    .onConflictDoNothing()
    .returning({ id: t.id }),
)

export interface Recipient {
  /** As `normalMailbox` returns it. */
  readonly mailbox: string
  readonly mailboxKey: string
  readonly domain: string
}

export interface NewMail extends Recipient {
  readonly id: string
  readonly kind: MailKind
  /** Whether the null envelope sender is used, so that no bounce comes back. */
  readonly nullSender: boolean
  /** The whole message. */
  readonly raw: string
  /** RFC 3339. */
  readonly createdAt: string
  readonly giveUpAt: string
}

/** Returns whether no mail may go to the mailbox. */
function* isMailStopped(mailbox: string): Unit<boolean> {
  return (yield* findContactStop(mailbox)) !== null
}

/**
 * Queues a message. For a mailbox that opted out the same row is written, which ends at once: whoever asked learns nothing from the time the
 * write takes. A message with the same id is queued once.
 */
export function* queueMail(mail: NewMail): Unit<void> {
  const isStopped = yield* isMailStopped(mail.mailbox)
  yield* rows(insert, {
    ...mail,
    nullSender: mail.nullSender ? 1 : 0,
    raw: isStopped ? null : mail.raw,
    state: isStopped ? "STOPPED" : "QUEUED",
    lookAt: isStopped ? null : mail.createdAt,
  })
}

const mailOut = (tables: Tables) => tables.mailOut
const due = dueRows(mailOut, MAILS_AT_ONCE)
const ahead = rowsAhead(mailOut, MAILS_AT_ONCE)
const take = takeRow(mailOut)
const queued = query((db, { mailOut: t }) =>
  db
    .select({ mailbox: t.mailbox, giveUpAt: t.giveUpAt })
    .from(t)
    .where(eq(t.id, bind("id"))),
)
const end = query((db, { mailOut: t }) =>
  db
    .update(t)
    .set({ state: bound("state"), reason: bound("reason"), raw: null, leaseOwner: null, lookAt: null })
    .where(and(eq(t.id, bind("id")), isNotNull(t.lookAt)))
    .returning({ id: t.id }),
)

/**
 * Leases the messages that are due, longest waiting first. A message whose mailbox opted out since it was queued, or whose time has passed, ends
 * instead.
 */
export function takeDueMail(lease: Lease, now: string, horizon: string): Unit<MailOutRow[]> {
  return takeDue({ due, ahead, take, most: MAILS_AT_ONCE }, lease, { now, horizon }, (id) => endUnlessWanted(id, now))
}

/** False: the message has ended. */
function* endUnlessWanted(id: string, now: string): Unit<boolean> {
  const mail = yield* first(queued, { id })
  if (!mail) return false
  const state = (yield* isMailStopped(mail.mailbox)) ? "STOPPED" : mail.giveUpAt <= now ? "EXPIRED" : null
  if (state !== null) yield* rows(end, { id, state, reason: null })
  return state === null
}

const extend = query((db, { mailOut: t }) =>
  db
    .update(t)
    .set({ lookAt: bound("until") })
    .where(and(eq(t.id, bind("id")), eq(t.leaseOwner, bind("owner")), gt(t.lookAt, bind("covered"))))
    .returning({ mailbox: t.mailbox }),
)

/** RFC 3339. `covered`: until then the lease must hold. `until`: no other process sends the message before. */
interface HandoverTimes {
  readonly covered: string
  readonly until: string
}

/** Called right before a message is sent. Extends its lease. False: the lease does not hold any more, or the mailbox opted out. */
export function* beginHandover(id: string, owner: string, times: HandoverTimes): Unit<boolean> {
  const held = yield* first(extend, { id, owner, ...times })
  return held !== undefined && !(yield* isMailStopped(held.mailbox))
}

const settle = query((db, { mailOut: t }) =>
  db
    .update(t)
    .set({ state: bound("state"), reason: bound("reason"), raw: null, leaseOwner: null, lookAt: null })
    .where(and(eq(t.id, bind("id")), eq(t.leaseOwner, bind("owner")), isNotNull(t.lookAt)))
    .returning({ id: t.id }),
)

/** Ends a message and forgets its text. `reason`: a code, never a text of the SMTP server. */
export function* endMail(id: string, owner: string, state: MailEnd, reason: string | null): Unit<void> {
  yield* rows(settle, { id, owner, state, reason })
}

/** Ends a queued message, whoever has it in work. */
export function* withdrawMail(id: string, state: MailEnd): Unit<void> {
  yield* rows(end, { id, state, reason: null })
}

const release = releaseRow(mailOut)

/** Ends the lease and plans the next attempt. */
export function* postponeMail(id: string, owner: string, lookAt: string, reason: string): Unit<void> {
  yield* rows(release, { id, owner, lookAt, reason })
}

const drop = dropRow(mailOut)

/** Ends the lease of a message that had no turn. It is due now. */
export function* dropMail(id: string, owner: string, now: string): Unit<void> {
  yield* rows(drop, { id, owner, now })
}

const purge = purgeOf(({ mailOut: t }) => ({
  key: [t.id],
  where: and(lte(t.createdAt, bind("before")), isNull(t.lookAt)),
  order: [t.createdAt, t.id],
}))

/** Removes some messages that were queued before and have ended, the oldest first; returns how many. */
export function* purgeMailOut(before: string): Unit<number> {
  return yield* changed(purge, { before })
}

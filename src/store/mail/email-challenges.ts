/** Challenges: tokens that were mailed to prove a mailbox. Only the SHA-256 of a token is kept. */
import { and, eq, gt, gte, lte, sql } from "drizzle-orm"
import { formatInstant } from "../../core/time.ts"
import { bind, changed, first, query, rows, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { purgeOf } from "../purge.ts"
import { voidBefore } from "../restores.ts"
import { admitAnswer, isMailAdmitted, type NewMail, queueMail, withdrawMail } from "./mail-out.ts"

export interface NewChallenge {
  readonly id: string
  /** As `normalMailbox` returns it. */
  readonly mailbox: string
  readonly requestDigest: string
  /** SHA-256 of the token, 64 hex digits. */
  readonly tokenHash: string
  /** RFC 3339. */
  readonly issuedAt: string
  readonly expiresAt: string
}

const isOpen = sql`'OPEN'`

const supersede = query((db, { emailChallenge: t }) =>
  db
    .update(t)
    .set({ state: "SUPERSEDED" })
    .where(and(eq(t.mailbox, bind("mailbox")), eq(t.requestDigest, bind("requestDigest")), eq(t.state, isOpen)))
    .returning({ id: t.id }),
)
const insert = query((db, { emailChallenge: t }) =>
  db
    .insert(t)
    .values({
      id: bind("id"),
      mailbox: bind("mailbox"),
      requestDigest: bind("requestDigest"),
      tokenHash: bind("tokenHash"),
      issuedAt: bind("issuedAt"),
      expiresAt: bind("expiresAt"),
      state: "OPEN",
    })
    .returning({ id: t.id }),
)

/** How the proof was asked for. */
type MailCause = "MAILS_OVER_HTTP" | "MAILS_BY_MAIL"

/**
 * Records a challenge and queues its mail, which has the same id. It supersedes the open one of the same mailbox and digest. Over HTTP nothing
 * is written when a limit of the mailbox or of its domain is reached, and then it returns null all the same: no caller may tell a mailbox
 * from another by it. A full share of the caller says nothing about a mailbox, so the refusal names it. By mail the mailbox asks itself, and
 * strangers who name it over HTTP take nothing from it.
 */
export function* askForProof(
  challenge: NewChallenge,
  mail: NewMail,
  over: MailCause,
  writer: FreeWriter,
): Unit<NotAdmitted | null> {
  const isByMail = over === "MAILS_BY_MAIL"
  const refused = yield* isByMail ? admitAnswer(mail, writer) : admit(over, writer)
  if (refused) return refused
  if (!isByMail && !(yield* isMailAdmitted(mail, writer))) return null
  for (const { id } of yield* rows(supersede, { mailbox: challenge.mailbox, requestDigest: challenge.requestDigest })) {
    yield* withdrawMail(id, "SUPERSEDED")
  }
  yield* rows(insert, { ...challenge })
  yield* queueMail(mail)
  return null
}

const consume = query((db, { emailChallenge: t }) =>
  db
    .update(t)
    .set({ state: "CONSUMED" })
    .where(
      and(
        eq(t.tokenHash, bind("tokenHash")),
        eq(t.mailbox, bind("mailbox")),
        eq(t.requestDigest, bind("requestDigest")),
        eq(t.state, isOpen),
        gt(t.expiresAt, bind("now")),
        gte(t.issuedAt, bind("issuedFrom")),
      ),
    )
    .returning({ id: t.id }),
)

interface PresentedToken {
  readonly tokenHash: string
  readonly mailbox: string
  readonly requestDigest: string
  /** RFC 3339. */
  readonly now: string
}

/**
 * Consumes a token. False for every token that is not accepted, whatever the reason; then nothing changes. A token from before a restore may
 * have been used in the lost hours.
 */
export function* consumeToken(token: PresentedToken): Unit<boolean> {
  const before = yield* voidBefore()
  const issuedFrom = before === null ? "" : formatInstant(before)
  return (yield* first(consume, { ...token, issuedFrom })) !== undefined
}

const purge = purgeOf(({ emailChallenge: t }) => ({
  key: [t.id],
  where: lte(t.expiresAt, bind("before")),
  order: [t.expiresAt, t.id],
}))

/** Removes some challenges that expired before, the oldest first; returns how many. */
export function* purgeChallenges(before: string): Unit<number> {
  return yield* changed(purge, { before })
}

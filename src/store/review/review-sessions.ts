/**
 * How a reviewer enters: a link of five minutes, a session, challenges for passkeys. Only hashes of secrets are stored. Whatever was made before a
 * restore is void, whatever the operator declares: its secrets may be in other hands, and a new link costs nothing.
 */
import { and, desc, eq, gt, isNull, lt, or } from "drizzle-orm"
import { formatInstant, HOUR, instant, MINUTE } from "../../core/time.ts"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import { purgeOf } from "../purge.ts"
import { restores } from "../restores.ts"

const LINK_MS = 5 * MINUTE
const SESSION_MS = 12 * HOUR
const IDLE_MS = 30 * MINUTE
const CHALLENGE_MS = 10 * MINUTE
/** Challenges of one session: one for each page that is open. */
const CHALLENGES_MAX = 20

interface ReviewSession {
  readonly sessionHash: string
  readonly reviewerId: string
  /** The passkey that opened it. Null: it may only enrol one. */
  readonly keyId: string | null
  /** RFC 3339. */
  readonly createdAt: string
}

export type ChallengeFault = "CHALLENGE_UNKNOWN" | "CHALLENGE_ENDED"

/** Whether something of this time was lost in a restore. */
function* isBeforeRestore(createdAt: string): Unit<boolean> {
  const known = yield* restores()
  return known.some(({ restored_at }) => instant(createdAt) < instant(restored_at))
}

const insertLink = query((db, t) =>
  db
    .insert(t.reviewLink)
    .values({
      linkHash: bind("linkHash"),
      reviewerId: bind("reviewerId"),
      createdAt: bind("createdAt"),
      expiresAt: bind("expiresAt"),
    })
    .returning({ linkHash: t.reviewLink.linkHash }),
)
const takeLink = query((db, { reviewLink: t }) =>
  db
    .delete(t)
    .where(eq(t.linkHash, bind("linkHash")))
    .returning(),
)

/** Returns when the link ends, RFC 3339. */
export function* makeLink({
  linkHash,
  reviewerId,
  at,
}: {
  linkHash: string
  reviewerId: string
  at: string
}): Unit<string> {
  const expiresAt = formatInstant(instant(at) + LINK_MS)
  yield* rows(insertLink, { linkHash, reviewerId, createdAt: at, expiresAt })
  return expiresAt
}

const insertSession = query((db, t) =>
  db
    .insert(t.reviewSession)
    .values({
      sessionHash: bind("sessionHash"),
      reviewerId: bind("reviewerId"),
      keyId: bind("keyId"),
      createdAt: bind("createdAt"),
      idleAt: bind("idleAt"),
      expiresAt: bind("expiresAt"),
    })
    .returning({ sessionHash: t.reviewSession.sessionHash }),
)
const endSessions = write((db, { reviewSession: t }) => db.delete(t).where(eq(t.reviewerId, bind("reviewerId"))))
const endSession = write((db, { reviewSession: t }) => db.delete(t).where(eq(t.sessionHash, bind("sessionHash"))))
const liveSession = query((db, { reviewSession: t }) =>
  db
    .select()
    .from(t)
    .where(and(eq(t.sessionHash, bind("sessionHash")), gt(t.expiresAt, bind("at")), gt(t.idleAt, bind("at")))),
)
const touch = write((db, { reviewSession: t }) =>
  db
    .update(t)
    .set({ idleAt: bound("idleAt") })
    .where(eq(t.sessionHash, bind("sessionHash"))),
)
const setKey = write((db, { reviewSession: t }) =>
  db
    .update(t)
    .set({ keyId: bound("keyId") })
    .where(eq(t.sessionHash, bind("sessionHash"))),
)

/** Spends a link and opens a session, which ends every earlier one of the reviewer. Null for a link that is unknown, spent, ended or lost. */
export function* enterByLink({
  linkHash,
  sessionHash,
  at,
}: {
  readonly linkHash: string
  readonly sessionHash: string
  /** RFC 3339. */
  readonly at: string
}): Unit<ReviewSession | null> {
  const link = yield* first(takeLink, { linkHash })
  if (!link || instant(link.expiresAt) <= instant(at) || (yield* isBeforeRestore(link.createdAt))) return null
  const { reviewerId } = link
  yield* changed(endSessions, { reviewerId })
  const idleAt = formatInstant(instant(at) + IDLE_MS)
  const expiresAt = formatInstant(instant(at) + SESSION_MS)
  yield* rows(insertSession, { sessionHash, reviewerId, keyId: null, createdAt: at, idleAt, expiresAt })
  return { sessionHash, reviewerId, keyId: null, createdAt: at }
}

/** The session, which this use keeps from becoming idle. Null if it has ended. */
export function* useSession(sessionHash: string, at: string): Unit<ReviewSession | null> {
  const found = yield* first(liveSession, { sessionHash, at })
  if (!found || (yield* isBeforeRestore(found.createdAt))) return null
  yield* changed(touch, { sessionHash, idleAt: formatInstant(instant(at) + IDLE_MS) })
  const { reviewerId, keyId, createdAt } = found
  return { sessionHash, reviewerId, keyId, createdAt }
}

/** The session may judge by this passkey from now on. */
export function* provePasskey(sessionHash: string, keyId: string): Unit<void> {
  yield* changed(setKey, { sessionHash, keyId })
}

export function* leaveSession(sessionHash: string): Unit<void> {
  yield* changed(endSession, { sessionHash })
}

const endLinks = write((db, { reviewLink: t }) => db.delete(t).where(eq(t.reviewerId, bind("reviewerId"))))
const endSessionsOf = write((db, { reviewSession: t }) =>
  db.delete(t).where(and(eq(t.reviewerId, bind("reviewerId")), or(isNull(t.keyId), eq(t.keyId, bind("keyId"))))),
)

/** For a key that is revoked: its person enters again by a new link or another key. Ends the person's links, and the sessions of this key or of none. */
export function* endEntrances(revoked: { readonly reviewerId: string; readonly keyId: string }): Unit<void> {
  yield* changed(endLinks, { reviewerId: revoked.reviewerId })
  yield* changed(endSessionsOf, revoked)
}

const insertChallenge = query((db, t) =>
  db
    .insert(t.reviewChallenge)
    .values({
      challenge: bind("challenge"),
      sessionHash: bind("sessionHash"),
      purpose: bind("purpose"),
      createdAt: bind("createdAt"),
      expiresAt: bind("expiresAt"),
    })
    .onConflictDoNothing()
    .returning({ challenge: t.reviewChallenge.challenge }),
)
const readChallenge = query((db, { reviewChallenge: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.challenge, bind("challenge"))),
)
const takeChallenge = query((db, { reviewChallenge: t }) =>
  db
    .delete(t)
    .where(and(eq(t.challenge, bind("challenge")), eq(t.sessionHash, bind("sessionHash"))))
    .returning(),
)

const anySession = query((db, { reviewSession: t }) =>
  db
    .select({ sessionHash: t.sessionHash })
    .from(t)
    .where(eq(t.sessionHash, bind("sessionHash"))),
)
const ofSession = query((db, { reviewChallenge: t }) =>
  db
    .select({ challenge: t.challenge })
    .from(t)
    .where(eq(t.sessionHash, bind("sessionHash")))
    .orderBy(desc(t.createdAt), desc(t.challenge)),
)

/** `purpose`: JSON of what an assertion over the challenge does. Beyond {@link CHALLENGES_MAX} of a session, the oldest one ends. */
export function* makeChallenge({
  challenge,
  sessionHash,
  purpose,
  at,
}: {
  readonly challenge: string
  readonly sessionHash: string
  readonly purpose: string
  readonly at: string
}): Unit<void> {
  const expiresAt = formatInstant(instant(at) + CHALLENGE_MS)
  for (const { challenge: old } of (yield* rows(ofSession, { sessionHash })).slice(CHALLENGES_MAX - 1)) {
    yield* rows(takeChallenge, { challenge: old, sessionHash })
  }
  yield* rows(insertChallenge, { challenge, sessionHash, purpose, createdAt: at, expiresAt })
}

/** What the challenge of this session is for; null if there is none. It may have ended: whoever spends it learns that. */
export function* purposeOf(challenge: string, sessionHash: string): Unit<string | null> {
  const found = yield* first(readChallenge, { challenge })
  return found?.sessionHash === sessionHash ? found.purpose : null
}

/** A challenge is spent once, also by a record that is refused afterwards. One of a session that was ended meanwhile is unknown. */
export function* spendChallenge({
  challenge,
  sessionHash,
  at,
}: {
  readonly challenge: string
  readonly sessionHash: string
  readonly at: string
}): Unit<ChallengeFault | null> {
  const found = yield* first(takeChallenge, { challenge, sessionHash })
  if (!found) return "CHALLENGE_UNKNOWN"
  if (instant(found.expiresAt) <= instant(at) || (yield* isBeforeRestore(found.createdAt))) return "CHALLENGE_ENDED"
  return (yield* first(anySession, { sessionHash })) ? null : "CHALLENGE_UNKNOWN"
}

const purgeLinkRows = purgeOf(({ reviewLink: t }) => ({
  key: [t.linkHash],
  where: lt(t.expiresAt, bind("before")),
  order: [t.expiresAt, t.linkHash],
}))
const purgeSessionRows = purgeOf(({ reviewSession: t }) => ({
  key: [t.sessionHash],
  where: lt(t.expiresAt, bind("before")),
  order: [t.expiresAt, t.sessionHash],
}))
const purgeChallengeRows = purgeOf(({ reviewChallenge: t }) => ({
  key: [t.challenge],
  where: lt(t.expiresAt, bind("before")),
  order: [t.expiresAt, t.challenge],
}))

/** Removes some links, sessions and challenges that ended before this time (RFC 3339); returns how many. */
export function* purgeReviewEntrances(before: string): Unit<number> {
  const links = yield* changed(purgeLinkRows, { before })
  const sessions = yield* changed(purgeSessionRows, { before })
  return links + sessions + (yield* changed(purgeChallengeRows, { before }))
}

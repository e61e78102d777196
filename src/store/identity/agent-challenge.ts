import { and, asc, count, eq, gt, gte, isNotNull, isNull, lt, min, ne, sql } from "drizzle-orm"
import { instant } from "../../core/time.ts"
import { bind, bound, changed, first, query, rows, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { PURGED_AT_ONCE, purgeOf } from "../purge.ts"
import { isVoid, voidBefore } from "../restores.ts"

/** A wrong proof does not consume a challenge. This many wrong proofs lock it, unless it is outside the caps. */
export const BAD_PROOFS_MAX = 5
/** Open revocation and recovery challenges of an identity (rulings 60). One more replaces the oldest. */
export const UNCOUNTED_PER_AGENT_MAX = 8
/** CHOICE: for this time after its expiry, a challenge is reported as CHALLENGE_EXPIRED instead of CHALLENGE_NOT_FOUND. */
export const EXPIRED_KEPT_SECONDS = 600

export interface AgentChallenge {
  readonly challengeId: string
  readonly state: "ISSUED" | "CONSUMED" | "SUPERSEDED" | "LOCKED"
  /** Canonical text of the event, exactly as issued. */
  readonly eventJson: string
  readonly challengeDigest: string
  readonly expiresAt: string
  /** Both set exactly when CONSUMED. */
  readonly proofDigest: string | null
  readonly resultJson: string | null
  /** Null for an enrolment. */
  readonly agentId: string | null
}

const byId = query((db, t) => {
  const { challengeId, state, eventJson, challengeDigest, issuedAt, expiresAt, proofDigest, resultJson, agentId } =
    t.agentChallenge
  return db
    .select({ challengeId, state, eventJson, challengeDigest, issuedAt, expiresAt, proofDigest, resultJson, agentId })
    .from(t.agentChallenge)
    .where(eq(t.agentChallenge.challengeId, bind("challengeId")))
})

const purgeCounted = purgeOf(({ agentChallenge: t }) => ({
  key: [t.challengeId],
  where: and(isNotNull(t.client), lt(t.expiresAt, bind("purgeBefore"))),
  order: [t.expiresAt],
}))

const purgeUncounted = purgeOf(({ agentChallenge: t }) => ({
  key: [t.challengeId],
  where: and(isNull(t.client), ne(t.state, sql`'CONSUMED'`), lt(t.expiresAt, bind("purgeBefore"))),
  order: [t.expiresAt],
}))

const openUncounted = query((db, t) => {
  const { challengeId, eventJson, challengeDigest, issuedAt, expiresAt, parameterDigest, requestedBy } =
    t.agentChallenge
  return db
    .select({ challengeId, eventJson, challengeDigest, issuedAt, expiresAt, parameterDigest, requestedBy })
    .from(t.agentChallenge)
    .where(
      and(
        eq(t.agentChallenge.agentId, bind("agentId")),
        eq(t.agentChallenge.state, sql`'ISSUED'`),
        isNotNull(t.agentChallenge.parameterDigest),
        gte(t.agentChallenge.expiresAt, bind("purgeBefore")),
      ),
    )
    .orderBy(asc(t.agentChallenge.issuedAt), asc(t.agentChallenge.challengeId))
})

const giveTo = query((db, t) =>
  db
    .update(t.agentChallenge)
    .set({ requestedBy: bound("requestedBy") })
    .where(eq(t.agentChallenge.challengeId, bind("challengeId")))
    .returning({ challengeId: t.agentChallenge.challengeId }),
)

const remove = query((db, t) =>
  db
    .delete(t.agentChallenge)
    .where(eq(t.agentChallenge.challengeId, bind("challengeId")))
    .returning({ challengeId: t.agentChallenge.challengeId }),
)

/** Not a LOCKED one: its state tells the sender that proofs failed. */
const supersede = query((db, t) =>
  db
    .update(t.agentChallenge)
    .set({ state: "SUPERSEDED", client: null, requestedBy: null })
    .where(and(eq(t.agentChallenge.agentId, bind("agentId")), eq(t.agentChallenge.state, sql`'ISSUED'`)))
    .returning({ challengeId: t.agentChallenge.challengeId }),
)

const outstandingOfClient = query((db, t) =>
  db
    .select({ outstanding: count(), nextExpiry: min(t.agentChallenge.expiresAt) })
    .from(t.agentChallenge)
    .where(and(eq(t.agentChallenge.client, bind("client")), gt(t.agentChallenge.expiresAt, bind("issuedAt")))),
)

const insert = query((db, t) =>
  db
    .insert(t.agentChallenge)
    .values({
      challengeId: bind("challengeId"),
      state: "ISSUED",
      client: bind("client"),
      eventJson: bind("eventJson"),
      challengeDigest: bind("challengeDigest"),
      badProofs: 0,
      issuedAt: bind("issuedAt"),
      expiresAt: bind("expiresAt"),
      agentId: bind("agentId"),
      parameterDigest: bind("parameterDigest"),
      requestedBy: bind("requestedBy"),
    })
    .returning({ challengeId: t.agentChallenge.challengeId }),
)

const badProof = query((db, t) =>
  db
    .update(t.agentChallenge)
    .set({
      badProofs: sql`${t.agentChallenge.badProofs} + 1`,
      state: sql`CASE WHEN ${t.agentChallenge.badProofs} + 1 >= ${bind("badProofsMax")} THEN 'LOCKED' ELSE 'ISSUED' END`,
    })
    .where(
      and(
        eq(t.agentChallenge.challengeId, bind("challengeId")),
        eq(t.agentChallenge.state, sql`'ISSUED'`),
        isNull(t.agentChallenge.parameterDigest),
      ),
    )
    .returning({ state: t.agentChallenge.state }),
)

/** A challenge from before a restore may have been answered in the lost hours, so it counts as superseded. */
export function* challengeById(challengeId: string): Unit<AgentChallenge | null> {
  const found = yield* first(byId, { challengeId })
  if (!found) return null
  const { issuedAt, ...challenge } = found
  return challenge.state === "ISSUED" && (yield* isVoid(issuedAt)) ? { ...challenge, state: "SUPERSEDED" } : challenge
}

interface NewChallenge {
  readonly challengeId: string
  readonly eventJson: string
  readonly challengeDigest: string
  readonly issuedAt: string
  readonly expiresAt: string
}

export interface CountedChallenge extends NewChallenge {
  /** Rate-limit key of the caller's address. */
  readonly client: string
  /** Null for an enrolment. */
  readonly agentId: string | null
  readonly perClientMax: number
  readonly writer: FreeWriter
}

export type IssueOutcome =
  | { readonly kind: "ISSUED" }
  | NotAdmitted
  /** `nextExpiry`: when the first outstanding challenge expires. */
  | { readonly kind: "CLIENT_CAP"; readonly nextExpiry: string }

/**
 * Counts and inserts in one unit, so parallel calls cannot pass a cap together. CHOICE: a LOCKED challenge counts as outstanding
 * until it expires; otherwise wrong proofs would make room for more challenges.
 */
export function* issueChallenge(challenge: CountedChallenge): Unit<IssueOutcome> {
  const { perClientMax, writer, ...row } = challenge
  const own = yield* first(outstandingOfClient, row)
  if (own?.nextExpiry && own.outstanding >= perClientMax) return { kind: "CLIENT_CAP", nextExpiry: own.nextExpiry }
  const refused = yield* admit("CHALLENGES", writer)
  if (refused) return refused
  yield* rows(insert, { ...row, parameterDigest: null, requestedBy: null })
  return { kind: "ISSUED" }
}

interface UncountedChallenge extends NewChallenge {
  readonly agentId: string
  /** Rate-limit key of the caller's address. */
  readonly requestedBy: string
  /** Equal for requests that differ only in time and sender. */
  readonly parameterDigest: string
  /** A challenge that expired before this instant does not count. */
  readonly purgeBefore: string
  /** An open challenge with equal parameters is returned again, unless it expires before this instant. */
  readonly givenAgainUntil: string
  readonly writer: FreeWriter
}

/**
 * Issues a challenge that revokes, or that the recovery key signs. It lies outside the caps above and works without room, because an owner
 * must get through. Strangers cannot fill the database: an identity has at most eight (rulings 60), and its own cap is split by address, so
 * the owner's share stays whatever they ask. Returns the event to sign, new or issued before. CHOICE: the oldest challenge of the
 * address with the most challenges makes room. Otherwise one stranger with endless requests would leave no time to an owner whose recovery
 * key may be on another machine. A replaced challenge is deleted, or each replacement would leave a row.
 */
export function* issueUncountedChallenge(
  challenge: UncountedChallenge,
): Unit<{ readonly kind: "ISSUED"; readonly eventJson: string; readonly challengeDigest: string } | NotAdmitted> {
  const { purgeBefore, givenAgainUntil, writer, ...row } = challenge
  const open = yield* rows(openUncounted, { agentId: row.agentId, purgeBefore })
  const heldBy = (asker: string | null) => open.filter(({ requestedBy }) => requestedBy === asker).length
  const before = open.length === 0 ? null : yield* voidBefore()
  const same = open.find(
    ({ parameterDigest, issuedAt, expiresAt }) =>
      parameterDigest === row.parameterDigest &&
      expiresAt >= givenAgainUntil &&
      (before === null || instant(issuedAt) >= before),
  )
  if (same) {
    // Otherwise a stranger who requested it first could push it out with other requests.
    if (heldBy(row.requestedBy) < heldBy(same.requestedBy))
      yield* rows(giveTo, { challengeId: same.challengeId, requestedBy: row.requestedBy })
    return { kind: "ISSUED", ...same }
  }
  const refused = yield* admit("REVOCATION_CHALLENGES", writer)
  if (refused) return refused
  if (open.length >= UNCOUNTED_PER_AGENT_MAX) {
    const held = ({ requestedBy }: { readonly requestedBy: string | null }) =>
      heldBy(requestedBy) + (requestedBy === row.requestedBy ? 1 : 0)
    const most = Math.max(...open.map(held))
    const oldest = open.find((one) => held(one) === most)
    if (oldest) yield* rows(remove, { challengeId: oldest.challengeId })
  }
  yield* rows(insert, { ...row, client: null })
  return { kind: "ISSUED", eventJson: row.eventJson, challengeDigest: row.challengeDigest }
}

/** Removes at most twice {@link PURGED_AT_ONCE} challenges that expired before this instant, the oldest first; returns how many. */
export function* purgeAgentChallenges(purgeBefore: string): Unit<number> {
  return (yield* changed(purgeCounted, { purgeBefore })) + (yield* changed(purgeUncounted, { purgeBefore }))
}

/** Supersedes the identity's other challenges after an accepted event, because they build on an old head. */
export function* supersedeChallenges(agentId: string): Unit<void> {
  yield* rows(supersede, { agentId })
}

/** Counts a proof that did not verify. Does not change a challenge that is not open or is outside the caps. */
export function* recordBadProof(challengeId: string): Unit<void> {
  yield* rows(badProof, { challengeId, badProofsMax: BAD_PROOFS_MAX })
}

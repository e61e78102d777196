import { and, asc, count, eq, gt, inArray, isNotNull, lt, min, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "./unit.ts"

/** A wrong proof does not consume a challenge; this many lock it. */
export const BAD_PROOFS_MAX = 5
/** Expired rows removed by one issuance: more than one, so purging outruns issuing, and few, so the lock stays short. */
const PURGED_AT_ONCE = 64

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
}

const byId = query((db, t) => {
  const { challengeId, state, eventJson, challengeDigest, expiresAt, proofDigest, resultJson } = t.agentChallenge
  return db
    .select({ challengeId, state, eventJson, challengeDigest, expiresAt, proofDigest, resultJson })
    .from(t.agentChallenge)
    .where(eq(t.agentChallenge.challengeId, bind("challengeId")))
})

const purge = query((db, t) =>
  db
    .delete(t.agentChallenge)
    .where(
      inArray(
        t.agentChallenge.challengeId,
        db
          .select({ challengeId: t.agentChallenge.challengeId })
          .from(t.agentChallenge)
          .where(and(isNotNull(t.agentChallenge.client), lt(t.agentChallenge.expiresAt, bind("purgeBefore"))))
          .orderBy(asc(t.agentChallenge.expiresAt))
          .limit(PURGED_AT_ONCE),
      ),
    )
    .returning({ challengeId: t.agentChallenge.challengeId }),
)

const outstandingOfClient = query((db, t) =>
  db
    .select({ outstanding: count(), nextExpiry: min(t.agentChallenge.expiresAt) })
    .from(t.agentChallenge)
    .where(and(eq(t.agentChallenge.client, bind("client")), gt(t.agentChallenge.expiresAt, bind("issuedAt")))),
)

const outstandingInAll = query((db, t) =>
  db
    .select({ outstanding: count(), nextExpiry: min(t.agentChallenge.expiresAt) })
    .from(t.agentChallenge)
    .where(and(isNotNull(t.agentChallenge.client), gt(t.agentChallenge.expiresAt, bind("issuedAt")))),
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
    .where(and(eq(t.agentChallenge.challengeId, bind("challengeId")), eq(t.agentChallenge.state, sql`'ISSUED'`)))
    .returning({ state: t.agentChallenge.state }),
)

export function* challengeById(challengeId: string): Unit<AgentChallenge | null> {
  return (yield* first(byId, { challengeId })) ?? null
}

export interface NewChallenge {
  readonly challengeId: string
  /** Rate-limit key of the caller's address. */
  readonly client: string
  readonly eventJson: string
  readonly challengeDigest: string
  readonly issuedAt: string
  readonly expiresAt: string
  /** Rows that expired before this instant are removed; until then their proof is told CHALLENGE_EXPIRED. */
  readonly purgeBefore: string
  readonly perClientMax: number
  readonly inAllMax: number
}

export type IssueOutcome =
  | { readonly kind: "ISSUED" }
  /** `nextExpiry`: when the first outstanding challenge makes room. */
  | { readonly kind: "CLIENT_CAP" | "TOTAL_CAP"; readonly nextExpiry: string }

/**
 * Purges, counts and inserts in one unit, so parallel calls cannot pass a cap together. CHOICE: a LOCKED challenge counts as
 * outstanding until it expires, or wrong proofs would make room for more challenges.
 */
export function* issueChallenge(challenge: NewChallenge): Unit<IssueOutcome> {
  const { purgeBefore, perClientMax, inAllMax, ...row } = challenge
  yield* rows(purge, { purgeBefore })
  const own = yield* first(outstandingOfClient, row)
  if (own?.nextExpiry && own.outstanding >= perClientMax) return { kind: "CLIENT_CAP", nextExpiry: own.nextExpiry }
  const all = yield* first(outstandingInAll, row)
  if (all?.nextExpiry && all.outstanding >= inAllMax) return { kind: "TOTAL_CAP", nextExpiry: all.nextExpiry }
  yield* rows(insert, row)
  return { kind: "ISSUED" }
}

/** Counts a proof that did not verify. A challenge that is not open any more is left alone. */
export function* recordBadProof(challengeId: string): Unit<void> {
  yield* rows(badProof, { challengeId, badProofsMax: BAD_PROOFS_MAX })
}

/** Authorized changes of a payment destination, as a Payment Decision that names one in its evidence sees and spends them (rulings 48). */
import { and, desc, eq, sql } from "drizzle-orm"
import type { Token } from "../tokens/authorization-tokens.ts"
import { holdersOf, isExpired, moveToken } from "../tokens/token-moves.ts"
import { bind, first, query, rows, type Unit } from "../unit.ts"

export interface ChangeAuthorization extends Token {
  /** Verified organization it was bought for; null where none was named. */
  readonly organizationId: string | null
}

const byEvidence = query((db, t) =>
  db
    .select({ token: t.authorizationToken, organizationId: t.decisionRequest.organizationId })
    .from(t.authorizationToken)
    .innerJoin(t.decisionRequest, eq(t.decisionRequest.id, t.authorizationToken.requestId))
    .where(
      and(
        eq(t.authorizationToken.evidenceReference, bind("evidenceReference")),
        eq(t.authorizationToken.kind, sql`'VENDOR_CHANGE'`),
      ),
    ),
)

function* readChangeAuthorization(evidenceReference: string): Unit<ChangeAuthorization | null> {
  const found = yield* first(byEvidence, { evidenceReference })
  return found ? { ...found.token, organizationId: found.organizationId } : null
}

/**
 * The change authorization of this core digest; null when there is none or it is spent, revoked or expired at `at` (milliseconds).
 * Whose it is and what it is for is the caller's to compare.
 */
export function* findChangeAuthorization(evidenceReference: string, at: number): Unit<ChangeAuthorization | null> {
  const found = yield* readChangeAuthorization(evidenceReference)
  return found?.state === "ISSUED" && !isExpired(found, at) ? found : null
}

/**
 * Spends it for the decision of `requestId`. False when it is spent by another, revoked, expired or unknown; the same request may
 * spend it again. A request that took the hold `CHANGE_AUTHORIZATION` while it was good spends it also after it expired: from then
 * on nobody else could.
 */
export function* spendChangeAuthorization(evidenceReference: string, requestId: string, at: number): Unit<boolean> {
  const found = yield* readChangeAuthorization(evidenceReference)
  if (!found) return false
  if (found.spentBy === requestId) return true
  if (found.state !== "ISSUED") return false
  const holders = yield* holdersOf(evidenceReference)
  if (holders.some((other) => other.spent === 0 && other.requestId !== requestId)) return false
  if (isExpired(found, at) && !holders.some((own) => own.requestId === requestId)) return false
  yield* moveToken(found, { to: "SPENT", at, spentBy: requestId })
  return true
}

/** A destination that one of its organization's keys authorized, and that was then used. */
export interface SpentChange {
  readonly evidenceReference: string
  /** Canonical JSON of the token's binding; it names the destination that was changed. */
  readonly bindingJson: string
  readonly destinationFingerprint: string | null
  /** The request whose decision spent it; null where its holder redeemed it. */
  readonly spentBy: string | null
  /** Key that signed the change, and when. */
  readonly keyId: string | null
  readonly decidedAt: string
  /** When it was spent. */
  readonly changedAt: string | null
}

/** Newest first, at most this many enter a decision. */
const SPENT_MAX = 200

const spentOf = query((db, t) =>
  db
    .select({
      evidenceReference: t.authorizationToken.evidenceReference,
      bindingJson: t.authorizationToken.bindingJson,
      destinationFingerprint: t.answerRecord.destinationFingerprint,
      spentBy: t.authorizationToken.spentBy,
      keyId: t.answerRecord.keyId,
      decidedAt: t.answerRecord.decidedAt,
      changedAt: t.authorizationToken.changedAt,
    })
    .from(t.spentChange)
    .innerJoin(t.authorizationToken, eq(t.authorizationToken.executionId, t.spentChange.executionId))
    .innerJoin(t.answerRecord, eq(t.answerRecord.executionId, t.spentChange.executionId))
    .where(and(eq(t.spentChange.organizationId, bind("organizationId")), eq(t.spentChange.subject, bind("subject"))))
    .orderBy(desc(t.spentChange.changedAt), desc(t.spentChange.executionId))
    .limit(SPENT_MAX),
)

/** Spent change authorizations of an organization about one supplier, whoever spent them. */
export function* spentChangesOf(organizationId: string, subject: string): Unit<SpentChange[]> {
  return yield* rows(spentOf, { organizationId, subject })
}

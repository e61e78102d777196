/** Authorized changes of a payment destination. A Payment Decision that names one in its evidence reads and spends it (rulings 48). */
import { and, desc, eq, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { restoresOf } from "../restores.ts"
import { afterRestore, type Token } from "../tokens/authorization-tokens.ts"
import { holdersOf, isExpired, moveToken } from "../tokens/token-moves.ts"

interface ChangeAuthorization extends Token {
  /** The verified organization it was bought for; null without one. */
  readonly organizationId: string | null
}

const byEvidence = query((db, t) =>
  db
    .select({
      token: t.authorizationToken,
      organizationId: t.decisionRequest.organizationId,
      restores: restoresOf(t),
    })
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
  return found ? afterRestore({ ...found.token, organizationId: found.organizationId }, found.restores) : null
}

/**
 * The change authorization of this core digest. Null when there is none, or it is spent, revoked or expired at `at` (milliseconds). The
 * caller must compare owner and purpose.
 */
export function* findChangeAuthorization(evidenceReference: string, at: number): Unit<ChangeAuthorization | null> {
  const found = yield* readChangeAuthorization(evidenceReference)
  return found?.state === "ISSUED" && !isExpired(found, at) ? found : null
}

/**
 * Spends it for the decision of `requestId`; the same request may repeat this. Returns false when another request spent it, or it is
 * revoked, expired or unknown. A request that took the hold `CHANGE_AUTHORIZATION` in time may also spend it after expiry, because from
 * then on no other request could.
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

/** A destination that one of the organization's keys authorized, and that was then used. */
export interface SpentChange {
  /** The request that bought it. */
  readonly requestId: string
  readonly evidenceReference: string
  /** Canonical JSON of the token's binding; it names the changed destination. */
  readonly bindingJson: string
  readonly destinationFingerprint: string | null
  /** The request whose decision spent it; null when its holder redeemed it. */
  readonly spentBy: string | null
  /** Key that signed the change, and when. */
  readonly keyId: string | null
  readonly decidedAt: string
  /** When it was spent. */
  readonly changedAt: string | null
}

/** Limit of records that enter a decision; newest first. */
const SPENT_MAX = 200

const spentOf = query((db, t) =>
  db
    .select({
      requestId: t.answerRecord.requestId,
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
    .where(
      and(eq(t.spentChange.organizationId, bind("organizationId")), eq(t.spentChange.supplierId, bind("supplierId"))),
    )
    .orderBy(desc(t.spentChange.changedAt), desc(t.spentChange.executionId))
    .limit(SPENT_MAX),
)

/** An organization's change authorizations about one supplier that any request or holder has spent. */
export function* spentChangesOf(organizationId: string, supplierId: string): Unit<SpentChange[]> {
  return yield* rows(spentOf, { organizationId, supplierId })
}

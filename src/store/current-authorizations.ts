/** Authorizations of one obligation that have not ended, with what they authorized. A purchase that one of them covers is not sold. */
import { and, desc, eq, gt, inArray, isNull } from "drizzle-orm"
import { bind, query, rows, type Unit } from "./unit.ts"

/**
 * At most this many are read, those that end last. One is the rule: another is sold only after it has ended, or for money that had
 * moved already.
 */
const CURRENT_MAX = 8

/** A delivered Payment Decision on which its organization may release the payment now. */
export interface CurrentDecision {
  readonly requestId: string
  /** Owner of its idempotency key: organization and agent. */
  readonly scope: string
  /** Canonical JSON of the request that bought it. */
  readonly requestJson: string
  readonly decisionId: string
  readonly responseDigest: string
  readonly payeeFingerprint: string
  readonly destinationFingerprint: string
  readonly instructionDigest: string
  readonly validUntil: string
  /** Until when its owner may have it replaced because it arrived late; null where it may not. */
  readonly replaceableUntil: string | null
}

const decisions = query((db, { authorizationRecord: record, decisionRequest: request, redelivery }) =>
  db
    .select({
      requestId: record.requestId,
      scope: request.scope,
      requestJson: request.requestJson,
      decisionId: record.decisionId,
      responseDigest: record.responseDigest,
      payeeFingerprint: record.payeeFingerprint,
      destinationFingerprint: record.destinationFingerprint,
      instructionDigest: record.instructionDigest,
      validUntil: record.validUntil,
      replaceableUntil: redelivery.until,
    })
    .from(record)
    .innerJoin(request, eq(request.id, record.requestId))
    .leftJoin(
      redelivery,
      and(eq(redelivery.requestId, record.requestId), isNull(redelivery.usedBy), gt(redelivery.until, bind("now"))),
    )
    .where(
      and(
        eq(record.organizationId, bind("organizationId")),
        eq(record.supplierKey, bind("supplierKey")),
        eq(record.obligationKey, bind("obligationKey")),
        inArray(record.decision, ["ALLOW", "ALLOW_WITH_CONDITIONS"]),
        gt(record.validUntil, bind("now")),
      ),
    )
    .orderBy(desc(record.validUntil), desc(record.requestId))
    .limit(CURRENT_MAX),
)

/** `now` is RFC 3339 as this service writes it. The one that ends last comes first. */
export function* currentDecisions(
  organizationId: string,
  supplierKey: string,
  obligationKey: string,
  now: string,
): Unit<CurrentDecision[]> {
  return yield* rows(decisions, { organizationId, supplierKey, obligationKey, now })
}

/** A delivered answer of one of the eight products on which its payer may pay the obligation now. */
export interface CurrentAnswer {
  readonly requestId: string
  /** Canonical JSON of the request that bought it. */
  readonly requestJson: string
  readonly executionId: string
  readonly coreDigest: string
  readonly validUntil: string
  /** Of the token it was sold with; null where it was sold with none. */
  readonly tokenState: "ISSUED" | "SPENT" | "REVOKED" | "EXPIRED" | null
}

const answers = query((db, { answerRecord: record, decisionRequest: request, authorizationToken: token }) =>
  db
    .select({
      requestId: record.requestId,
      requestJson: request.requestJson,
      executionId: record.executionId,
      coreDigest: record.coreDigest,
      validUntil: record.validUntil,
      tokenState: token.state,
    })
    .from(record)
    .innerJoin(request, eq(request.id, record.requestId))
    .leftJoin(token, eq(token.executionId, record.executionId))
    .where(
      and(
        eq(record.owner, bind("owner")),
        eq(record.product, bind("product")),
        eq(record.subject, bind("subject")),
        eq(record.obligationKey, bind("obligationKey")),
        inArray(record.decision, ["APPROVE", "CONDITIONAL"]),
        gt(record.validUntil, bind("now")),
      ),
    )
    .orderBy(desc(record.validUntil), desc(record.requestId))
    .limit(CURRENT_MAX),
)

/** Of one product to one payer (lower case). `now` as for {@link currentDecisions}. */
export function* currentAnswers(
  owner: string,
  product: string,
  subject: string,
  obligationKey: string,
  now: string,
): Unit<CurrentAnswer[]> {
  return yield* rows(answers, { owner, product, subject, obligationKey, now })
}

/** Unexpired authorizations of one obligation, with what they authorized. The service does not sell a purchase that one of them covers. */
import { and, desc, eq, gt, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import { indexedKey } from "../indexed-key.ts"
import { GOING_ON } from "./answer-records.ts"
import { AUTHORIZING } from "./authorization-records.ts"

/** Rows that one statement reads. A supplier usually has one valid authorization of an obligation, or a few that were paid anyway. */
const PAGE_ROWS = 32
/** Where reading starts: after every instant that this service writes. */
const LAST: Place = { validUntil: "9999", requestId: "" }

/** A row's place in the reading order: latest end first. */
interface Place {
  readonly validUntil: string
  readonly requestId: string
}

interface Supplied {
  readonly supplierId: string | null
  /** Canonical JSON of the request that bought it. */
  readonly requestJson: string
}

/** Whether a stored authorization is about the given supplier. */
type IsSameSupplier = (stored: Supplied) => boolean

interface PlaceColumns {
  readonly validUntil: SQLWrapper
  readonly requestId: SQLWrapper
}

/** Rows that are valid now and come after the given place. */
const onPage = ({ validUntil, requestId }: PlaceColumns): SQL[] => [
  gt(validUntil, bind("now")),
  sql`(${validUntil}, ${requestId}) < (${bind("validUntil")}, ${bind("requestId")})`,
]
const pageOrder = ({ validUntil, requestId }: PlaceColumns): SQL[] => [desc(validUntil), desc(requestId)]

/** A delivered Payment Decision on which its organization may release the payment now. */
export interface CurrentDecision {
  readonly requestId: string
  /** Owner of its idempotency key: organization and agent. */
  readonly scope: string
  readonly supplierId: string | null
  /** Canonical JSON of the request that bought it. */
  readonly requestJson: string
  readonly decisionId: string
  readonly responseDigest: string
  readonly payeeFingerprint: string
  readonly destinationFingerprint: string
  readonly instructionDigest: string
  readonly validUntil: string
  /** Until when its owner may have it replaced because it arrived late; null when it is not replaceable. */
  readonly replaceableUntil: string | null
}

const decisions = query((db, { authorizationRecord: record, decisionRequest: request, redelivery }) =>
  db
    .select({
      requestId: record.requestId,
      scope: request.scope,
      supplierId: record.supplierId,
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
        eq(record.obligationKey, bind("obligationKey")),
        inArray(record.decision, AUTHORIZING),
        ...onPage(record),
      ),
    )
    .orderBy(...pageOrder(record))
    .limit(PAGE_ROWS),
)

/** `now` is RFC 3339 as this service writes it. Latest end first. */
export function* currentDecisions(
  organizationId: string,
  obligationKey: string,
  now: string,
  isSameSupplier: IsSameSupplier,
): Unit<CurrentDecision[]> {
  const named = { organizationId, obligationKey: indexedKey(obligationKey), now }
  return yield* allPages(isSameSupplier, (place) => rows(decisions, { ...named, ...place }))
}

/** A delivered answer of one of the answer products on which its payer may pay the obligation now. */
export interface CurrentAnswer {
  readonly requestId: string
  readonly supplierId: string | null
  /** Canonical JSON of the request that bought it. */
  readonly requestJson: string
  readonly executionId: string
  readonly coreDigest: string
  readonly validUntil: string
  /** State of the token sold with it; null without a token. */
  readonly tokenState: "ISSUED" | "SPENT" | "REVOKED" | "EXPIRED" | null
}

const answers = query((db, { answerRecord: record, decisionRequest: request, authorizationToken: token }) =>
  db
    .select({
      requestId: record.requestId,
      supplierId: record.supplierId,
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
        eq(record.obligationKey, bind("obligationKey")),
        inArray(record.decision, GOING_ON),
        ...onPage(record),
      ),
    )
    .orderBy(...pageOrder(record))
    .limit(PAGE_ROWS),
)

/** An obligation about which one payer buys answers of one product. */
interface AnsweredObligation {
  /** The payer, lower case. */
  readonly owner: string
  readonly product: string
  readonly obligationKey: string
}

/** `now` as for {@link currentDecisions}. */
export function* currentAnswers(
  { owner, product, obligationKey }: AnsweredObligation,
  now: string,
  isSameSupplier: IsSameSupplier,
): Unit<CurrentAnswer[]> {
  const named = { owner, product, obligationKey: indexedKey(obligationKey), now }
  return yield* allPages(isSameSupplier, (place) => rows(answers, { ...named, ...place }))
}

/** Reads every page, because other suppliers of the owner may use the same obligation id. */
function* allPages<Row extends Place & Supplied>(
  isSameSupplier: IsSameSupplier,
  read: (place: Place) => Unit<Row[]>,
): Unit<Row[]> {
  const found: Row[] = []
  for (let page = yield* read(LAST); ; ) {
    found.push(...page.filter(isSameSupplier))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_ROWS) return found
    page = yield* read({ validUntil: last.validUntil, requestId: last.requestId })
  }
}

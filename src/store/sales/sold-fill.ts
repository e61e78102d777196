/**
 * Answers that were delivered before the list of what was sold existed get their rows in steps. A step reads the next deliveries, and then writes
 * their rows and moves the place in one unit, so a process that is killed loses no row and doubles none.
 */
import { and, asc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"

/** Deliveries of one step: their facts are in memory together, and the unit keeps other writers waiting. */
const FILLED_AT_ONCE = 32

const place = query((db, { soldFill: t }) => db.select().from(t).where(eq(t.id, "DELIVERIES")))
const next = query((db, t) =>
  db
    .select({
      requestId: t.delivery.requestId,
      soldAt: t.delivery.deliveredAt,
      answerId: t.delivery.answerId,
      deliveryReference: t.delivery.deliveryReference,
      factsJson: t.delivery.factsJson,
      product: t.decisionRequest.product,
      scope: t.decisionRequest.scope,
      requestJson: t.decisionRequest.requestJson,
      decided: t.authorizationRecord.decision,
      answered: t.answerRecord.decision,
    })
    .from(t.delivery)
    .innerJoin(t.decisionRequest, eq(t.decisionRequest.id, t.delivery.requestId))
    .leftJoin(t.authorizationRecord, eq(t.authorizationRecord.requestId, t.delivery.requestId))
    .leftJoin(t.answerRecord, eq(t.answerRecord.requestId, t.delivery.requestId))
    .where(and(gt(t.delivery.requestId, bind("filledTo")), isNotNull(t.delivery.body)))
    .orderBy(asc(t.delivery.requestId))
    .limit(bind("limit")),
)
const references = query((db, { delivery, purchase }, words) =>
  db
    .select({ requestId: delivery.requestId, reference: purchase.reference })
    .from(delivery)
    .innerJoin(purchase, eq(purchase.id, delivery.purchaseId))
    .where(inArray(delivery.requestId, sql`(select ${words.wholeText} from ${words.each(bind("requestIds"))})`)),
)
const move = write((db, { soldFill: t }) =>
  db
    .update(t)
    .set({ filledTo: bound("to") })
    .where(and(eq(t.id, "DELIVERIES"), eq(t.filledTo, bind("from")))),
)
const end = write((db, { soldFill: t }) =>
  db.delete(t).where(and(eq(t.id, "DELIVERIES"), eq(t.filledTo, bind("from")))),
)

/** A delivered answer as it is stored. */
export interface DeliveredBefore {
  readonly requestId: string
  readonly soldAt: string
  readonly answerId: string
  readonly deliveryReference: string
  readonly product: string
  readonly decision: string
  readonly scope: string
  readonly requestJson: string
  readonly factsJson: string
}

interface FillStep {
  /** The request up to which earlier steps came. */
  readonly from: string
  readonly deliveries: readonly DeliveredBefore[]
  /** Nothing is left after them. */
  readonly isLast: boolean
}

/** Null: every delivered answer has its row. */
export function* nextFillStep(): Unit<FillStep | null> {
  const from = (yield* first(place))?.filledTo
  if (from === undefined) return null
  const found = yield* rows(next, { filledTo: from, limit: FILLED_AT_ONCE })
  const deliveries = found.map(({ decided, answered, soldAt, ...one }): DeliveredBefore => {
    return { ...one, soldAt: soldAt ?? "", decision: decided ?? answered ?? "" }
  })
  return { from, deliveries, isLast: found.length < FILLED_AT_ONCE }
}

/** In the unit that writes the rows of the step. Returns false if another process wrote them. */
export function* moveFill({ from, deliveries, isLast }: FillStep): Unit<boolean> {
  if (isLast) return (yield* changed(end, { from })) > 0
  return (yield* changed(move, { from, to: deliveries.at(-1)?.requestId ?? from })) > 0
}

/** What paid for each answer, by request. In the unit that writes their rows: until a block is safe, another transaction may carry the payment. */
export function* whatPaid(deliveries: readonly DeliveredBefore[]): Unit<ReadonlyMap<string, string>> {
  const found = yield* rows(references, { requestIds: JSON.stringify(deliveries.map(({ requestId }) => requestId)) })
  return new Map(found.map(({ requestId, reference }) => [requestId, reference ?? ""]))
}

/** Whether answers of earlier releases may be missing in the list. */
export function* isFilling(): Unit<boolean> {
  return (yield* first(place)) !== undefined
}

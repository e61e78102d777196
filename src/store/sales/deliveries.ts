/** Computed and delivered answers. Bytes are written once and sent exactly as written. */
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import { headForCapsule, logCapsule } from "../log/sequenced-log.ts"
import { countDecision } from "./decision-counts.ts"

export interface ComputedDelivery {
  readonly requestId: string
  readonly purchaseId: string
  readonly answerId: string
  readonly deliveryReference: string
  /** Empty once there is a body, which contains all of it. */
  readonly coreJson: string
  readonly factsJson: string
  /** Empty once there is a body that contains it: see `capsuleOf`. */
  readonly capsuleJson: string
  readonly capsuleDigest: string
  readonly keyId: string
  readonly validUntil: string
  readonly computedAt: string
  /** Id of a signed document that is published separately from the answer; null for most. */
  readonly attachmentId: string | null
  readonly attachmentJson: string | null
}

interface Delivery extends ComputedDelivery {
  readonly body: string | null
  readonly responseDigest: string | null
  readonly paymentResponse: string | null
  readonly arrival: "IN_TIME" | "EXPIRED_ON_ARRIVAL" | null
  readonly deliveredAt: string | null
  /** Leaf of its capsule. Null before delivery, while the capsule waits for its leaf, and for an answer of an earlier release. */
  readonly logIndex: number | null
}

const insert = query((db, t) =>
  db
    .insert(t.delivery)
    .values({
      requestId: bind("requestId"),
      purchaseId: bind("purchaseId"),
      answerId: bind("answerId"),
      deliveryReference: bind("deliveryReference"),
      coreJson: bind("coreJson"),
      factsJson: bind("factsJson"),
      capsuleJson: bind("capsuleJson"),
      capsuleDigest: bind("capsuleDigest"),
      keyId: bind("keyId"),
      validUntil: bind("validUntil"),
      computedAt: bind("computedAt"),
      attachmentId: bind("attachmentId"),
      attachmentJson: bind("attachmentJson"),
    })
    .onConflictDoNothing()
    .returning({ requestId: t.delivery.requestId }),
)
const pin = write((db, { deliverySnapshot: t }, words) =>
  db
    .insert(t)
    .select(sql`select ${bind("requestId")}, ${words.wholeText} from ${words.each(bind("snapshotIds"))} where true`)
    .onConflictDoNothing(),
)

/** Stores a sealed decision before settlement. Returns false when another one is stored already. */
export function* keepComputed(delivery: ComputedDelivery, snapshotIds: readonly string[]): Unit<boolean> {
  if (!(yield* first(insert, { ...delivery }))) return false
  yield* changed(pin, { requestId: delivery.requestId, snapshotIds: JSON.stringify(snapshotIds) })
  return true
}

const drop = query((db, t) =>
  db
    .delete(t.delivery)
    .where(and(eq(t.delivery.requestId, bind("requestId")), isNull(t.delivery.body)))
    .returning({ requestId: t.delivery.requestId }),
)

/** A computed core never survives its purchase (rulings 44). A finished body is never deleted. */
export function* dropComputed(requestId: string): Unit<void> {
  yield* rows(drop, { requestId })
}

const finish = query((db, t) =>
  db
    .update(t.delivery)
    .set({
      body: bound("body"),
      responseDigest: bound("responseDigest"),
      paymentResponse: bound("paymentResponse"),
      arrival: bound("arrival"),
      deliveredAt: bound("at"),
      logIndex: bound("logIndex"),
      // CHOICE: an empty text and not NULL, because SQLite would have to make this table anew, which is most of the database.
      coreJson: "",
      capsuleJson: sql`case when ${bound("holdsCapsule")} = 1 then '' else ${t.delivery.capsuleJson} end`,
    })
    .where(and(eq(t.delivery.requestId, bind("requestId")), isNull(t.delivery.body)))
    .returning({ capsuleDigest: t.delivery.capsuleDigest }),
)

export interface FinishedBody {
  readonly product: string
  readonly decision: string
  readonly body: string
  /** Whether the body contains the capsule. */
  readonly holdsCapsule: boolean
  readonly responseDigest: string
  /** Value of the header of x402; null over another rail. */
  readonly paymentResponse: string | null
  readonly arrival: "IN_TIME" | "EXPIRED_ON_ARRIVAL"
}

/**
 * Writes the final body once, together with the capsule's leaf in the transparency log (rulings 18), or a note that the capsule waits for it. If
 * the key is revoked later, the leaf proves what it signed before. A decision that is never delivered is never logged, nor counted.
 */
export function* finishDelivery(
  requestId: string,
  { product, decision, holdsCapsule, ...finished }: FinishedBody,
  at: string,
): Unit<boolean> {
  const head = yield* headForCapsule()
  const values = { ...finished, holdsCapsule: Number(holdsCapsule), logIndex: head?.treeSize ?? null }
  const delivery = yield* first(finish, { requestId, at, ...values })
  if (!delivery) return false
  yield* countDecision(product, decision)
  yield* logCapsule(requestId, delivery.capsuleDigest, head)
  return true
}

const byRequest = query((db, t) =>
  db
    .select()
    .from(t.delivery)
    .where(eq(t.delivery.requestId, bind("requestId"))),
)
const byDecision = query((db, t) =>
  db
    .select()
    .from(t.delivery)
    .where(eq(t.delivery.answerId, bind("id"))),
)
const byReference = query((db, t) =>
  db
    .select()
    .from(t.delivery)
    .where(eq(t.delivery.deliveryReference, bind("id"))),
)

const bodyOf = query((db, t) =>
  db
    .select({ body: t.delivery.body })
    .from(t.delivery)
    .where(eq(t.delivery.requestId, bind("requestId"))),
)
const attachment = query((db, t) =>
  db
    .select({ attachmentJson: t.delivery.attachmentJson })
    .from(t.delivery)
    .where(and(eq(t.delivery.attachmentId, bind("id")), isNotNull(t.delivery.body))),
)
const keptAnswer = query((db, t) =>
  db
    .select({ body: t.delivery.body, capsuleJson: t.delivery.capsuleJson, product: t.decisionRequest.product })
    .from(t.delivery)
    .innerJoin(t.decisionRequest, eq(t.decisionRequest.id, t.delivery.requestId))
    .where(eq(t.delivery.answerId, bind("executionId"))),
)

/** The final body alone. Facts and core are several times as long, and recovery needs neither. */
export function* findBody(requestId: string): Unit<string | null> {
  return (yield* first(bodyOf, { requestId }))?.body ?? null
}

export interface KeptAnswer {
  readonly body: string
  /** As in {@link ComputedDelivery}. */
  readonly capsuleJson: string
  readonly product: string
}

/** A delivered answer by its execution id, without its inputs. */
export function* findKeptAnswer(executionId: string): Unit<KeptAnswer | null> {
  const found = yield* first(keptAnswer, { executionId })
  return found && found.body !== null ? { ...found, body: found.body } : null
}

/** The companion document of a delivered answer. Null when nobody acquired the answer. */
export function* findAttachment(id: string): Unit<string | null> {
  return (yield* first(attachment, { id }))?.attachmentJson ?? null
}

export function* findDelivery(requestId: string): Unit<Delivery | null> {
  return (yield* first(byRequest, { requestId })) ?? null
}

/** By decision id (`dec_…`), delivery reference (`dlv_…`) or request id (`drq_…`). */
export function* findDeliveryByAnyId(id: string): Unit<Delivery | null> {
  return (yield* first(byDecision, { id })) ?? (yield* first(byReference, { id })) ?? (yield* findDelivery(id))
}

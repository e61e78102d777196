/** Requests that somebody tried to buy, and who acquired what. */
import { and, eq, inArray, ne, notExists } from "drizzle-orm"
import { countUse, type DelegationsUsed } from "../buyers/delegation-use.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { CLAIMING_PURCHASES, findLivePurchase, type PurchaseState, type Rail } from "./purchases.ts"

/** The digests that decide whether two bodies under one idempotency key are the same. */
export interface BodyDigests {
  /** Of the canonical form. */
  readonly bodyDigest: string
  /** Of the bytes as received. Null when only the canonical form is compared, and in rows of older versions. */
  readonly rawBodyDigest: string | null
}

export function isSameBody(one: BodyDigests, other: BodyDigests): boolean {
  if (one.bodyDigest !== other.bodyDigest) return false
  return one.rawBodyDigest === null || other.rawBodyDigest === null || one.rawBodyDigest === other.rawBodyDigest
}

export interface NewRequest extends BodyDigests {
  readonly id: string
  readonly product: string
  readonly scope: string
  readonly idempotencyKey: string
  readonly requestDigest: string
  readonly requestJson: string
  readonly organizationId: string | null
  readonly agentId: string | null
  readonly keyId: string | null
  readonly amountMillionths: string | null
  readonly createdAt: string
}

/** The idempotency record of a key: the purchase that claims its request, and the answer after it is acquired. */
export interface RequestRecord extends BodyDigests {
  readonly id: string
  readonly requestDigest: string
  readonly requestJson: string
  readonly state: "NEW" | "COMPUTED" | "DELIVERED"
  /** Null while nothing was paid for the request and no payment of it may still arrive. */
  readonly purchase: { readonly id: string; readonly rail: Rail; readonly state: PurchaseState } | null
}

const byKey = query((db, t) =>
  db
    .select({
      id: t.decisionRequest.id,
      requestDigest: t.decisionRequest.requestDigest,
      bodyDigest: t.decisionRequest.bodyDigest,
      rawBodyDigest: t.decisionRequest.rawBodyDigest,
      requestJson: t.decisionRequest.requestJson,
      state: t.decisionRequest.state,
      purchaseId: t.purchase.id,
      rail: t.purchase.rail,
      purchaseState: t.purchase.state,
    })
    .from(t.decisionRequest)
    .leftJoin(
      t.purchase,
      and(eq(t.purchase.requestId, t.decisionRequest.id), inArray(t.purchase.state, CLAIMING_PURCHASES)),
    )
    .where(
      and(
        eq(t.decisionRequest.product, bind("product")),
        eq(t.decisionRequest.scope, bind("scope")),
        eq(t.decisionRequest.idempotencyKey, bind("key")),
      ),
    ),
)

/** Prefers a live or acquired purchase to one that is only owed. */
export function* findRequestRecord(product: string, scope: string, key: string): Unit<RequestRecord | null> {
  const found = yield* rows(byKey, { product, scope, key })
  const row = found.find(({ purchaseState }) => purchaseState !== null && purchaseState !== "OWED") ?? found[0]
  if (!row) return null
  const { purchaseId, rail, purchaseState, ...request } = row
  const isClaimed = purchaseId !== null && rail !== null && purchaseState !== null
  return { ...request, purchase: isClaimed ? { id: purchaseId, rail, state: purchaseState } : null }
}

const insert = query((db, t) =>
  db
    .insert(t.decisionRequest)
    .values({
      id: bind("id"),
      product: bind("product"),
      scope: bind("scope"),
      idempotencyKey: bind("idempotencyKey"),
      requestDigest: bind("requestDigest"),
      bodyDigest: bind("bodyDigest"),
      rawBodyDigest: bind("rawBodyDigest"),
      requestJson: bind("requestJson"),
      organizationId: bind("organizationId"),
      agentId: bind("agentId"),
      keyId: bind("keyId"),
      amountMillionths: bind("amountMillionths"),
      state: "NEW",
      createdAt: bind("createdAt"),
      updatedAt: bind("createdAt"),
    })
    .onConflictDoNothing()
    .returning({ id: t.decisionRequest.id }),
)

/** The request's id: the new one, or the earlier one of the same key. Null when another body holds the key. */
export function* claimRequest(request: NewRequest): Unit<string | null> {
  const inserted = yield* first(insert, { ...request })
  if (inserted) return inserted.id
  const requestRecord = yield* findRequestRecord(request.product, request.scope, request.idempotencyKey)
  return requestRecord && isSameBody(requestRecord, request) ? requestRecord.id : null
}

const remove = query((db, t) =>
  db
    .delete(t.decisionRequest)
    .where(
      and(
        eq(t.decisionRequest.id, bind("id")),
        eq(t.decisionRequest.state, "NEW"),
        notExists(
          db.select({ id: t.purchase.id }).from(t.purchase).where(eq(t.purchase.requestId, t.decisionRequest.id)),
        ),
      ),
    )
    .returning({ id: t.decisionRequest.id }),
)

/** Deletes a request that was refused before it had a purchase, so that its key is not bound to a body that was never sold. */
export function* forgetRequest(id: string): Unit<void> {
  yield* rows(remove, { id })
}

const count = query((db, t) =>
  db
    .update(t.decisionRequest)
    .set({ delegationId: bound("delegationId"), mandateDelegationId: bound("mandateDelegationId") })
    .where(and(eq(t.decisionRequest.id, bind("id")), eq(t.decisionRequest.state, "NEW")))
    .returning({ id: t.decisionRequest.id }),
)

/** Notes the delegations that the reserving unit applied to a request without a live purchase. */
export function* noteDelegations(id: string, { delegationId, mandateDelegationId }: DelegationsUsed): Unit<void> {
  yield* rows(count, { id, delegationId, mandateDelegationId })
}

/** The same for any request. If it counted against other delegations before, the use of its live purchase moves to the new ones. */
export function* countAgainst(id: string, used: DelegationsUsed): Unit<void> {
  const live = yield* findLivePurchase(id)
  if (live) yield* countUse(id, live.createdAt, -1)
  yield* noteDelegations(id, used)
  if (live) yield* countUse(id, live.createdAt, 1)
}

const setState = query((db, t) =>
  db
    .update(t.decisionRequest)
    .set({ state: bound("state"), updatedAt: bound("at") })
    .where(and(eq(t.decisionRequest.id, bind("id")), ne(t.decisionRequest.state, "DELIVERED")))
    .returning({ id: t.decisionRequest.id }),
)

/** A delivered request stays so, also when an unpaid purchase of it ends. */
export function* moveRequest(id: string, state: "NEW" | "COMPUTED" | "DELIVERED", at: string): Unit<void> {
  yield* rows(setState, { id, state, at })
}

const acquire = query((db, t) =>
  db
    .insert(t.entitlement)
    .values({
      requestDigest: bind("requestDigest"),
      rail: bind("rail"),
      requestId: bind("requestId"),
      acquiredAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ requestId: t.entitlement.requestId }),
)
const acquired = query((db, t) =>
  db
    .select({ requestId: t.entitlement.requestId, rail: t.entitlement.rail })
    .from(t.entitlement)
    .where(eq(t.entitlement.requestDigest, bind("requestDigest"))),
)

/** Marks the signed request as sold. Returns false when another rail or request sold it before. */
export function* recordEntitlement(requestDigest: string, rail: Rail, requestId: string, at: string): Unit<boolean> {
  if (yield* first(acquire, { requestDigest, rail, requestId, at })) return true
  const held = yield* first(acquired, { requestDigest })
  return held?.requestId === requestId
}

export function* findEntitlement(requestDigest: string): Unit<{ requestId: string; rail: Rail } | null> {
  return (yield* first(acquired, { requestDigest })) ?? null
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.decisionRequest)
    .where(eq(t.decisionRequest.id, bind("id"))),
)

interface RequestRow {
  readonly id: string
  readonly product: string
  readonly scope: string
  readonly idempotencyKey: string
  readonly requestDigest: string
  readonly bodyDigest: string
  readonly requestJson: string
  readonly organizationId: string | null
  readonly agentId: string | null
  readonly keyId: string | null
  readonly state: "NEW" | "COMPUTED" | "DELIVERED"
}

export function* findRequest(id: string): Unit<RequestRow | null> {
  return (yield* first(byId, { id })) ?? null
}

/**
 * Purchases: one row for each try to buy a request, over any rail. A request is sold once over all rails together, so at most one of its
 * purchases is LIVE or ACQUIRED (a unique index). The record of the rail has the same id and moves in the same unit.
 */
import { and, asc, eq, inArray, ne } from "drizzle-orm"
import { bind, first, query, type Unit } from "../engine/unit.ts"

export type Rail = "x402" | "acp"

/**
 * LIVE: not decided yet, or its money may be on the way. ACQUIRED: the answer is delivered. ENDED: nothing was paid. OWED: it was paid
 * after it had ended, or the chain shows its authorization as used and no safe block shows yet for what; the answer is not delivered yet.
 */
export type PurchaseState = "LIVE" | "OWED" | "ACQUIRED" | "ENDED"

/** A request has at most one purchase in these states. */
export const LIVE_PURCHASES = ["LIVE", "ACQUIRED"] as const satisfies readonly PurchaseState[]

/** While a purchase is in one of these states, no other payment may be accepted for its request. */
export const CLAIMING_PURCHASES = [...LIVE_PURCHASES, "OWED"] as const satisfies readonly PurchaseState[]

export interface Purchase {
  readonly id: string
  readonly requestId: string
  readonly rail: Rail
  readonly state: PurchaseState
  /** What paid for it, `eip155:<chain>/tx/<hash>` over x402. Null until it is acquired. */
  readonly reference: string | null
  readonly createdAt: string
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.purchase)
    .where(eq(t.purchase.id, bind("id"))),
)
const live = query((db, t) =>
  db
    .select()
    .from(t.purchase)
    .where(and(eq(t.purchase.requestId, bind("requestId")), inArray(t.purchase.state, LIVE_PURCHASES))),
)
const owed = query((db, t) =>
  db
    .select()
    .from(t.purchase)
    .where(
      and(eq(t.purchase.requestId, bind("requestId")), eq(t.purchase.state, "OWED"), ne(t.purchase.id, bind("except"))),
    )
    .orderBy(asc(t.purchase.id))
    .limit(1),
)

export function* findPurchase(id: string): Unit<Purchase | null> {
  return (yield* first(byId, { id })) ?? null
}

/** The purchase of the request that is LIVE or ACQUIRED. */
export function* findLivePurchase(requestId: string): Unit<Purchase | null> {
  return (yield* first(live, { requestId })) ?? null
}

/**
 * The purchase that blocks another payment for a request: its live or acquired one, else one that is owed. `except`: the id of the purchase that
 * the payment is of; an owed purchase does not block its own payment.
 */
export function* findClaimingPurchase(requestId: string, except = ""): Unit<Purchase | null> {
  return (yield* findLivePurchase(requestId)) ?? (yield* first(owed, { requestId, except })) ?? null
}

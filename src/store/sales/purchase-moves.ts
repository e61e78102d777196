/**
 * State changes of a purchase, each in the unit that moves the record of its rail. They keep the holds of the request and its use of
 * delegations right.
 */
import { and, eq } from "drizzle-orm"
import { countUse } from "../buyers/delegation-use.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { keepHolds } from "./holds.ts"
import { LIVE_PURCHASES, type Purchase, type PurchaseState } from "./purchases.ts"

/** A request counts against its delegations while it has a purchase in one of these states. */
const COUNTED: ReadonlySet<PurchaseState> = new Set(LIVE_PURCHASES)

const insert = query((db, t) =>
  db
    .insert(t.purchase)
    .values({
      id: bind("id"),
      requestId: bind("requestId"),
      rail: bind("rail"),
      state: bind("state"),
      createdAt: bind("createdAt"),
    })
    .onConflictDoNothing()
    .returning({ id: t.purchase.id }),
)

type NewPurchase = Omit<Purchase, "state" | "reference">

/** Opens a LIVE purchase. The request counts against its delegations and keeps its holds. False: another one has the request. */
export function* openPurchase(purchase: NewPurchase): Unit<boolean> {
  if (!(yield* first(insert, { ...purchase, state: "LIVE" }))) return false
  yield* keepHolds(purchase.requestId)
  yield* countUse(purchase.requestId, purchase.createdAt, 1)
  return true
}

/** Stores a purchase of a payment that the chain shows as used, beside any other one of the request. See {@link claimEnded}. */
export function* openClaim(purchase: NewPurchase): Unit<void> {
  yield* rows(insert, { ...purchase, state: "OWED" })
}

const move = query((db, t) =>
  db
    .update(t.purchase)
    .set({ state: bound("to"), reference: bound("reference") })
    .where(and(eq(t.purchase.id, bind("id")), eq(t.purchase.state, bind("from"))))
    .returning({ requestId: t.purchase.requestId, createdAt: t.purchase.createdAt }),
)

/**
 * Moves a purchase after the conditional update of its rail's record. `reference`: what paid for it, when it becomes ACQUIRED; else null.
 * INVARIANT: the state of the record determines the state of the purchase, but for {@link openClaim} and {@link claimEnded}. Any other state is a
 * bug, and the error rolls the unit back.
 */
export function* movePurchase(
  id: string,
  from: PurchaseState,
  to: PurchaseState,
  reference: string | null,
): Unit<void> {
  const moved = yield* first(move, { id, from, to, reference })
  if (!moved) throw new Error(`the purchase ${id} is not ${from}`)
  if (to === "LIVE") yield* keepHolds(moved.requestId)
  if (COUNTED.has(from) !== COUNTED.has(to)) {
    yield* countUse(moved.requestId, moved.createdAt, COUNTED.has(to) ? 1 : -1)
  }
}

/**
 * The chain shows the authorization of an ended purchase as used, so no other payment may be accepted for its request; or it shows that no longer.
 * A purchase in any other state is not changed.
 */
export function* claimEnded(id: string, isUsed: boolean): Unit<void> {
  const [from, to] = isUsed ? ["ENDED", "OWED"] : ["OWED", "ENDED"]
  yield* rows(move, { id, from, to, reference: null })
}

const refer = query((db, t) =>
  db
    .update(t.purchase)
    .set({ reference: bound("reference") })
    .where(and(eq(t.purchase.id, bind("id")), eq(t.purchase.state, "ACQUIRED")))
    .returning({ id: t.purchase.id }),
)

/** Another transaction carries the payment now, after a reorganization. */
export function* referPurchase(id: string, reference: string): Unit<void> {
  yield* rows(refer, { id, reference })
}

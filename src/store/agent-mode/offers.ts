/** Offers to agents. Whether one is paid is read from the records of deliveries and never written here. */
import { and, asc, desc, eq, gt, lte, sql } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Unit } from "../engine/unit.ts"
import { purgeOf } from "../purge.ts"

export interface OfferRow {
  readonly offerCapsuleId: string
  readonly agentId: string
  readonly productId: string
  readonly presentations: number
  readonly state: "QUEUED" | "RETRYING" | "DELIVERED"
  /** Canonical text of the signed capsule. */
  readonly capsule: string
  /** RFC 3339. */
  readonly validUntil: string
}

const OPEN = sql`'QUEUED', 'RETRYING'`

const insert = query((db, t) =>
  db
    .insert(t.salesOffer)
    .values({
      offerCapsuleId: bind("offerCapsuleId"),
      agentId: bind("agentId"),
      productId: bind("productId"),
      presentations: 1,
      state: "QUEUED",
      capsule: bind("capsule"),
      validUntil: bind("validUntil"),
    })
    .returning({ offerCapsuleId: t.salesOffer.offerCapsuleId }),
)

const byId = query((db, t) =>
  db
    .select()
    .from(t.salesOffer)
    .where(eq(t.salesOffer.offerCapsuleId, bind("offerCapsuleId"))),
)

/** CHOICE: an agent has at most ten offers of one product that have not ended, so its turns cannot fill the disk. */
const LIVE_OFFERS_MAX = 10

const newestOpen = query((db, t) =>
  db
    .select()
    .from(t.salesOffer)
    .where(
      and(
        eq(t.salesOffer.agentId, bind("agentId")),
        eq(t.salesOffer.productId, bind("productId")),
        gt(t.salesOffer.validUntil, bind("at")),
        sql`${t.salesOffer.state} IN (${OPEN})`,
      ),
    )
    .orderBy(desc(t.salesOffer.validUntil), desc(t.salesOffer.offerCapsuleId))
    .limit(LIVE_OFFERS_MAX),
)

const live = query((db, { salesOffer: t }) =>
  db
    .select({ offerCapsuleId: t.offerCapsuleId })
    .from(t)
    .where(and(eq(t.agentId, bind("agentId")), eq(t.productId, bind("productId")), gt(t.validUntil, bind("at"))))
    .orderBy(asc(t.validUntil), asc(t.offerCapsuleId))
    .limit(LIVE_OFFERS_MAX),
)

const present = query((db, t) =>
  db
    .update(t.salesOffer)
    .set({ presentations: sql`${t.salesOffer.presentations} + 1`, state: sql`'RETRYING'` })
    .where(
      and(
        eq(t.salesOffer.offerCapsuleId, bind("offerCapsuleId")),
        sql`${t.salesOffer.state} IN (${OPEN})`,
        sql`${t.salesOffer.presentations} < ${bind("presentationsMax")}`,
      ),
    )
    .returning({ state: t.salesOffer.state }),
)

const acknowledge = query((db, t) =>
  db
    .update(t.salesOffer)
    .set({ state: bound("state") })
    .where(and(eq(t.salesOffer.offerCapsuleId, bind("offerCapsuleId")), eq(t.salesOffer.agentId, bind("agentId"))))
    .returning({ state: t.salesOffer.state }),
)

/** The literal of the condition lets the partial index `decision_request_offer` answer. */
const delivered = query((db, t) =>
  db
    .select({ state: t.decisionRequest.state })
    .from(t.decisionRequest)
    .where(
      and(
        eq(t.decisionRequest.product, bind("product")),
        eq(t.decisionRequest.idempotencyKey, bind("idempotencyKey")),
        eq(t.decisionRequest.state, sql`'DELIVERED'`),
        sql`substr(${t.decisionRequest.idempotencyKey}, 1, 4) = 'ofr_'`,
      ),
    )
    .limit(1),
)

const purge = purgeOf(({ salesOffer: t }) => ({
  key: [t.offerCapsuleId],
  where: lte(t.validUntil, bind("before")),
  order: [t.validUntil, t.offerCapsuleId],
}))

type NewOffer = Omit<OfferRow, "presentations" | "state">

/** Records an offer that is given for the first time. */
export function* insertOffer(offer: NewOffer): Unit<void> {
  yield* first(insert, { ...offer })
}

export function* findOffer(offerCapsuleId: string): Unit<OfferRow | null> {
  return (yield* first(byId, { offerCapsuleId })) ?? null
}

/** The agent's offers of the product that are neither ended nor acknowledged, the newest first; at most ten. */
export function* findOpenOffers(agentId: string, productId: string, at: string): Unit<readonly OfferRow[]> {
  return yield* rows(newestOpen, { agentId, productId, at })
}

/** Returns whether the agent has as many offers of the product that have not ended as it may have. */
export function* hasLiveOffersMax(agentId: string, productId: string, at: string): Unit<boolean> {
  return (yield* rows(live, { agentId, productId, at })).length >= LIVE_OFFERS_MAX
}

/** Counts another presentation of an offer that is not acknowledged. The count stops at `presentationsMax`. */
export function* presentOffer(offerCapsuleId: string, presentationsMax: number): Unit<void> {
  yield* first(present, { offerCapsuleId, presentationsMax })
}

/** Does nothing for another agent's offer. */
export function* acknowledgeOffer(agentId: string, offerCapsuleId: string): Unit<void> {
  yield* first(acknowledge, { agentId, offerCapsuleId, state: "DELIVERED" })
}

/** Whether a purchase of that product under the offer's id was delivered, by any rail. */
export function* isOfferPaid({
  productId,
  offerCapsuleId,
}: Pick<OfferRow, "productId" | "offerCapsuleId">): Unit<boolean> {
  return (yield* first(delivered, { product: productId, idempotencyKey: offerCapsuleId })) !== undefined
}

/** Removes at most 64 that ended before `before`; returns how many. */
export function* purgeOffers(before: string): Unit<number> {
  return yield* changed(purge, { before })
}

/** Payment attempts: the presented payment, its state, and its append-only history. */
import { and, eq } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"

export type AttemptState = "RESERVED" | "VERIFIED" | "SETTLING" | "SETTLED" | "FAILED" | "RELEASED" | "PAID_OWED"

export interface Attempt {
  readonly id: string
  readonly requestId: string
  readonly chainId: number
  readonly asset: string
  readonly payer: string
  readonly nonce: string
  readonly payTo: string
  readonly value: string
  readonly validAfter: number
  readonly validBefore: number
  readonly maxTimeoutSeconds: number
  readonly quoteId: string
  readonly payloadJson: string | null
  readonly payloadSha256: string
  readonly payerHasCode: number
  readonly payerCodeHash: string | null
  /** 1 when the chain showed the authorization as used at its first presentation. */
  readonly alreadyUsed: number
  readonly settler: "self" | "http"
  readonly state: AttemptState
  readonly reason: string | null
  readonly watched: number
  readonly settledTx: string | null
  readonly settledLogIndex: number | null
  readonly settledBlock: string | null
  readonly settledBlockHash: string | null
  readonly finality: "INCLUDED" | "SAFE" | "UNPAID_AFTER_REORG" | null
  readonly leaseOwner: string | null
  /** End of the lease. For an open attempt without a worker: the end of its last lease, which is its place in the queue. */
  readonly leaseUntil: string | null
  /** When to query the chain next about an ended attempt; null when no query is needed. */
  readonly lookAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** The newest block at which the chain showed the authorization as used; null once a newer one shows it as unused. */
  readonly usedBlock: number | null
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(eq(t.paymentAttempt.id, bind("id"))),
)
const byNonce = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(
      and(
        eq(t.paymentAttempt.chainId, bind("chainId")),
        eq(t.paymentAttempt.asset, bind("asset")),
        eq(t.paymentAttempt.payer, bind("payer")),
        eq(t.paymentAttempt.nonce, bind("nonce")),
      ),
    ),
)
const byPayload = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(
      and(eq(t.paymentAttempt.requestId, bind("requestId")), eq(t.paymentAttempt.payloadSha256, bind("payloadSha256"))),
    ),
)
export function* findAttempt(id: string): Unit<Attempt | null> {
  return (yield* first(byId, { id })) ?? null
}

export function* findAttemptByNonce(key: {
  chainId: number
  asset: string
  payer: string
  nonce: string
}): Unit<Attempt | null> {
  return (yield* first(byNonce, key)) ?? null
}

/** The attempt that this exact payload made for this request, in any state. */
export function* findAttemptByPayload(requestId: string, payloadSha256: string): Unit<Attempt | null> {
  return (yield* first(byPayload, { requestId, payloadSha256 })) ?? null
}

const event = query((db, t) =>
  db
    .insert(t.paymentEvent)
    .values({
      attemptId: bind("attemptId"),
      at: bind("at"),
      fromState: bind("from"),
      toState: bind("to"),
      detail: bind("detail"),
    })
    .returning({ id: t.paymentEvent.id }),
)

/** A change of an attempt's state. */
export interface AttemptMove<From extends AttemptState | null = AttemptState> {
  readonly from: From
  readonly to: AttemptState
  /** RFC 3339. */
  readonly at: string
  /** What the event of the change tells. */
  readonly detail: string
}

/** `from` null: the attempt is new. */
export function* noteEvent(attemptId: string, { from, to, at, detail }: AttemptMove<AttemptState | null>): Unit<void> {
  yield* rows(event, { attemptId, at, from, to, detail })
}

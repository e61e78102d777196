/**
 * State changes of a payment attempt. Each is one conditional update by (id, state, lease owner) that must change one row. A worker whose
 * update changes no row has lost the attempt and stops (rulings 35).
 */
import { and, eq, sql } from "drizzle-orm"
import { bind, bound, first, query, type Unit } from "../engine/unit.ts"
import type { Lease } from "../lease.ts"
import { claimEnded, openClaim, openPurchase } from "../sales/purchase-moves.ts"
import { followMove, movedColumns } from "./attempt-totals.ts"
import type { Attempt, AttemptMove, AttemptState } from "./attempts.ts"
import { eraseBytes } from "./relayer-ledger.ts"

const insert = query((db, t) =>
  db
    .insert(t.paymentAttempt)
    .values({
      id: bind("id"),
      requestId: bind("requestId"),
      chainId: bind("chainId"),
      asset: bind("asset"),
      payer: bind("payer"),
      nonce: bind("nonce"),
      payTo: bind("payTo"),
      value: bind("value"),
      validAfter: bind("validAfter"),
      validBefore: bind("validBefore"),
      maxTimeoutSeconds: bind("maxTimeoutSeconds"),
      quoteId: bind("quoteId"),
      payloadJson: bind("payloadJson"),
      payloadSha256: bind("payloadSha256"),
      payerHasCode: bind("payerHasCode"),
      payerCodeHash: bind("payerCodeHash"),
      alreadyUsed: bind("alreadyUsed"),
      settler: bind("settler"),
      state: bind("state"),
      reason: bind("reason"),
      watched: bind("watched"),
      leaseOwner: bind("leaseOwner"),
      leaseUntil: bind("leaseUntil"),
      lookAt: bind("lookAt"),
      createdAt: bind("createdAt"),
      updatedAt: bind("createdAt"),
      usedBlock: bind("usedBlock"),
    })
    .returning(),
)

export type NewAttempt = Pick<
  Attempt,
  | "id"
  | "requestId"
  | "chainId"
  | "asset"
  | "payer"
  | "nonce"
  | "payTo"
  | "value"
  | "validAfter"
  | "validBefore"
  | "maxTimeoutSeconds"
  | "quoteId"
  | "payloadJson"
  | "payloadSha256"
  | "payerHasCode"
  | "payerCodeHash"
  | "alreadyUsed"
  | "settler"
  | "createdAt"
  | "usedBlock"
>

/** Null when the request already has a live purchase. The caller has checked that the nonce is not used. */
export function* reserveAttempt(attempt: NewAttempt, lease: Lease): Unit<Attempt | null> {
  const { id, requestId, createdAt } = attempt
  if (!(yield* openPurchase({ id, requestId, rail: "x402", createdAt }))) return null
  const held = { reason: null, watched: 0, leaseOwner: lease.owner, leaseUntil: lease.until, lookAt: null }
  return yield* insertAttempt({ ...attempt, ...held, state: "RESERVED" }, "authorization verified")
}

/**
 * Stores an attempt that gets no work now, and whose authorization the chain shows as used, as one that was released: it is watched, and no other
 * payment is taken for its request. The caller has checked that the nonce is not used.
 */
export function* keepUsedAttempt(
  attempt: Omit<NewAttempt, "payloadJson"> & { readonly usedBlock: number },
  reason: string,
): Unit<void> {
  const { id, requestId, createdAt } = attempt
  yield* openClaim({ id, requestId, rail: "x402", createdAt })
  const released = { reason, watched: 1, payloadJson: null, leaseOwner: null, leaseUntil: null, lookAt: createdAt }
  yield* insertAttempt({ ...attempt, ...released, state: "RELEASED" }, reason)
}

type InsertedAttempt = NewAttempt &
  Pick<Attempt, "state" | "reason" | "watched" | "leaseOwner" | "leaseUntil" | "lookAt">

function* insertAttempt(attempt: InsertedAttempt, detail: string): Unit<Attempt> {
  const inserted = yield* first(insert, { ...attempt })
  if (!inserted) throw new Error("an attempt of a new nonce was not stored")
  yield* followMove(inserted, { from: null, to: attempt.state, at: attempt.createdAt, detail })
  return inserted
}

const revive = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({
      state: "RESERVED",
      reason: null,
      watched: 0,
      payloadJson: bound("payloadJson"),
      usedBlock: bound("usedBlock"),
      leaseOwner: bound("leaseOwner"),
      leaseUntil: bound("leaseUntil"),
      lookAt: null,
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, "RELEASED"),
        eq(t.paymentAttempt.payloadSha256, bind("payloadSha256")),
      ),
    )
    .returning(),
)

/** Revives a released attempt for the same payload, else null. The caller has checked that the request has no live purchase. */
export function* reviveAttempt(
  id: string,
  { json, sha256, usedBlock }: Pick<Attempt, "usedBlock"> & { readonly json: string; readonly sha256: string },
  lease: Lease,
  at: string,
): Unit<Attempt | null> {
  const revived = yield* first(revive, {
    id,
    payloadJson: json,
    payloadSha256: sha256,
    usedBlock,
    leaseOwner: lease.owner,
    leaseUntil: lease.until,
    at,
  })
  if (!revived) return null
  yield* followMove(revived, { from: "RELEASED", to: "RESERVED", at, detail: "same payload presented again" })
  return revived
}

const move = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ state: bound("to"), reason: bound("reason"), updatedAt: bound("at") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, bind("from")),
        eq(t.paymentAttempt.leaseOwner, bind("owner")),
      ),
    )
    .returning(movedColumns(t)),
)

/** A change that keeps the lease: RESERVED to VERIFIED to SETTLING. False: the lease or the state is lost; stop. */
export function* moveAttempt(id: string, owner: string, change: AttemptMove): Unit<boolean> {
  const { from, to, at } = change
  const attempt = yield* first(move, { id, from, to, owner, at, reason: null })
  if (!attempt) return false
  yield* followMove(attempt, change)
  return true
}

const end = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({
      state: bound("to"),
      reason: bound("reason"),
      watched: bound("watched"),
      usedBlock: bound("usedBlock"),
      payloadJson: null,
      leaseOwner: null,
      leaseUntil: null,
      lookAt: bound("lookAt"),
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, bind("from")),
        eq(t.paymentAttempt.leaseOwner, bind("owner")),
      ),
    )
    .returning(movedColumns(t)),
)

/** How an attempt ends unpaid. */
export interface AttemptEnd {
  readonly from: AttemptState
  readonly to: "RELEASED" | "FAILED"
  /** RFC 3339. */
  readonly at: string
  readonly reason: string
  /**
   * The chain has not proved yet that the attempt can never be paid, so the watch continues until a safe block is past `validBefore`
   * (rulings 33).
   */
  readonly watched: boolean
  /**
   * The newest block at which the chain showed the authorization as used: no other payment is taken for the request until a newer one shows
   * that it paid nothing. Null: it is unused, or a safe block shows that it paid nothing.
   */
  readonly usedBlock: number | null
}

/** Ends an attempt unpaid and erases its signature, a bearer instrument until `validBefore`. */
export function* endAttempt(id: string, owner: string, attemptEnd: AttemptEnd): Unit<boolean> {
  const { from, to, at, reason, watched, usedBlock } = attemptEnd
  const look = watched ? { watched: 1, lookAt: at } : { watched: 0, lookAt: null }
  const attempt = yield* first(end, { id, from, to, owner, at, reason, usedBlock, ...look })
  if (!attempt) return false
  yield* followMove(attempt, { from, to, at, detail: reason })
  if (usedBlock !== null) yield* claimEnded(id, true)
  return true
}

const settle = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({
      state: "SETTLED",
      reason: null,
      watched: 0,
      settledTx: bound("tx"),
      settledLogIndex: bound("logIndex"),
      settledBlock: bound("block"),
      settledBlockHash: bound("blockHash"),
      finality: bound("finality"),
      payloadJson: sql`case when ${bound("finality")} = 'SAFE' then null else ${t.paymentAttempt.payloadJson} end`,
      leaseOwner: null,
      leaseUntil: null,
      lookAt: bound("lookAt"),
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, bind("from")),
        eq(t.paymentAttempt.leaseOwner, bind("owner")),
      ),
    )
    .returning(movedColumns(t)),
)

export interface Transfer {
  readonly tx: string
  readonly logIndex: number
  readonly block: string
  readonly blockHash: string
  readonly finality: "INCLUDED" | "SAFE"
}

/** How an attempt ends paid. */
interface AttemptSettlement {
  readonly from: AttemptState
  /** RFC 3339. */
  readonly at: string
  readonly transfer: Transfer
}

/** The chain has proved the transfer. The signature is kept until the block is safe (rulings 39). */
export function* settleAttempt(id: string, owner: string, { from, at, transfer }: AttemptSettlement): Unit<boolean> {
  const lookAt = transfer.finality === "INCLUDED" ? at : null
  const attempt = yield* first(settle, { id, from, owner, at, lookAt, ...transfer })
  if (!attempt) return false
  if (transfer.finality === "SAFE") yield* eraseBytes(id)
  yield* followMove(attempt, { from, to: "SETTLED", at, detail: `${transfer.tx} log ${transfer.logIndex}` })
  return true
}

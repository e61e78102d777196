/** The relayer's nonces and the transactions signed for them. A nonce is allocated in a separate commit before anything is signed. */
import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, sql } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import type { Attempt, AttemptState } from "./attempts.ts"

interface RelayerNonce {
  readonly relayer: string
  readonly nonce: number
  readonly attemptId: string | null
  readonly state: "ALLOCATED" | "STORED" | "MINED"
}

export interface RelayerTransaction {
  readonly txHash: string
  readonly relayer: string
  readonly nonce: number
  /** Empty once they are erased: see {@link eraseBytes}. */
  readonly raw: string
  readonly maxFeeWei: string
  readonly createdAt: string
}

const highest = query((db, t) =>
  db
    .select({ nonce: t.relayerNonce.nonce })
    .from(t.relayerNonce)
    .where(eq(t.relayerNonce.relayer, bind("relayer")))
    .orderBy(desc(t.relayerNonce.nonce))
    .limit(1),
)
const insert = query((db, t) =>
  db
    .insert(t.relayerNonce)
    .values({
      relayer: bind("relayer"),
      nonce: bind("nonce"),
      attemptId: bind("attemptId"),
      state: "ALLOCATED",
      createdAt: bind("at"),
      updatedAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ nonce: t.relayerNonce.nonce }),
)

/** The lowest nonce that this ledger never allocated; null when it allocated none. */
export function* nextLedgerNonce(relayer: string): Unit<number | null> {
  const last = yield* first(highest, { relayer })
  return last ? last.nonce + 1 : null
}

/** The next nonce: above all allocated ones, and never below the chain's count. */
export function* allocateNonce(relayer: string, attemptId: string | null, taken: number, at: string): Unit<number> {
  const nonce = Math.max(taken, (yield* nextLedgerNonce(relayer)) ?? 0)
  yield* rows(insert, { relayer, nonce, attemptId, at })
  return nonce
}

/** Adds a nonce that this ledger never allocated, so that it can be filled. Returns false when another worker did it. */
export function* allocateGap(relayer: string, nonce: number, at: string): Unit<boolean> {
  return (yield* first(insert, { relayer, nonce, attemptId: null, at })) !== undefined
}

const ofAttempt = query((db, t) =>
  db
    .select({
      relayer: t.relayerNonce.relayer,
      nonce: t.relayerNonce.nonce,
      attemptId: t.relayerNonce.attemptId,
      state: t.relayerNonce.state,
    })
    .from(t.relayerNonce)
    .where(eq(t.relayerNonce.attemptId, bind("attemptId")))
    .orderBy(desc(t.relayerNonce.nonce), desc(t.relayerNonce.relayer)),
)

/** More than one when a foreign transaction took the first. They may be of two relayers, after the operator changed the key. */
export function* noncesOfAttempt(attemptId: string): Unit<RelayerNonce[]> {
  return yield* rows(ofAttempt, { attemptId })
}

const nextRelayer = query((db, t) =>
  db
    .select({ relayer: t.relayerNonce.relayer })
    .from(t.relayerNonce)
    .where(gt(t.relayerNonce.relayer, bind("after")))
    .orderBy(asc(t.relayerNonce.relayer), asc(t.relayerNonce.nonce))
    .limit(1),
)

/** Every relayer that this database ever had: one, and one more for each change of the key. */
export function* relayersInLedger(): Unit<string[]> {
  const found: string[] = []
  for (let after = ""; ; ) {
    const next = yield* first(nextRelayer, { after })
    if (!next) return found
    found.push(next.relayer)
    after = next.relayer
  }
}

const storedForAttempt = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ state: "STORED", updatedAt: bound("at") })
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.nonce, bind("nonce")),
        eq(t.relayerNonce.attemptId, bind("attemptId")),
        inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"]),
      ),
    )
    .returning({ nonce: t.relayerNonce.nonce }),
)
const storedForFill = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ state: "STORED", updatedAt: bound("at") })
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.nonce, bind("nonce")),
        isNull(t.relayerNonce.attemptId),
        inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"]),
      ),
    )
    .returning({ nonce: t.relayerNonce.nonce }),
)
const touchStored = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ updatedAt: bound("at") })
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.nonce, bind("nonce")),
        eq(t.relayerNonce.state, "STORED"),
      ),
    )
    .returning({ nonce: t.relayerNonce.nonce }),
)
const storeRaw = query((db, t) =>
  db
    .insert(t.relayerTransaction)
    .values({
      txHash: bind("txHash"),
      relayer: bind("relayer"),
      nonce: bind("nonce"),
      raw: bind("raw"),
      maxFeeWei: bind("maxFeeWei"),
      createdAt: bind("createdAt"),
    })
    .onConflictDoNothing()
    .returning({ txHash: t.relayerTransaction.txHash }),
)

/**
 * Stores a signed transaction before it is sent. `attemptId`: the attempt that the nonce was allocated to; null to fill a nonce that no
 * attempt owns. Returns false when the nonce is mined or has another owner; then nothing may be sent for it.
 */
export function* storeTransaction(transaction: RelayerTransaction, attemptId: string | null): Unit<boolean> {
  const { relayer, nonce, createdAt: at } = transaction
  const moved =
    attemptId === null
      ? yield* first(storedForFill, { relayer, nonce, at })
      : yield* first(storedForAttempt, { relayer, nonce, at, attemptId })
  if (!moved) return false
  yield* rows(storeRaw, { ...transaction })
  return true
}

/** Stores another transaction for a nonce that already has one, with any owner. Returns false when the nonce is mined. */
export function* storeReplacement(transaction: RelayerTransaction): Unit<boolean> {
  const { relayer, nonce, createdAt: at } = transaction
  if (!(yield* first(touchStored, { relayer, nonce, at }))) return false
  yield* rows(storeRaw, { ...transaction })
  return true
}

const release = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ attemptId: null, updatedAt: bound("at") })
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.nonce, bind("nonce")),
        eq(t.relayerNonce.state, "ALLOCATED"),
      ),
    )
    .returning({ nonce: t.relayerNonce.nonce }),
)

/** Detaches an allocated nonce from its attempt, so that it can be filled. Returns false when it already has a raw transaction. */
export function* detachNonce(relayer: string, nonce: number, at: string): Unit<boolean> {
  return (yield* first(release, { relayer, nonce, at })) !== undefined
}

const open = query((db, t) =>
  db
    .select({
      relayer: t.relayerNonce.relayer,
      nonce: t.relayerNonce.nonce,
      attemptId: t.relayerNonce.attemptId,
      state: t.relayerNonce.state,
      attemptState: t.paymentAttempt.state,
      finality: t.paymentAttempt.finality,
      validBefore: t.paymentAttempt.validBefore,
    })
    .from(t.relayerNonce)
    .leftJoin(t.paymentAttempt, eq(t.paymentAttempt.id, t.relayerNonce.attemptId))
    .where(and(eq(t.relayerNonce.relayer, bind("relayer")), inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"])))
    .orderBy(asc(t.relayerNonce.nonce))
    .limit(256),
)

/** A nonce whose transaction is not mined, with data of its attempt; the last three members are null without one. */
export interface OpenNonce extends RelayerNonce {
  readonly attemptState: AttemptState | null
  readonly finality: Attempt["finality"]
  readonly validBefore: number | null
}

/** Lowest first, at most 256. */
export function* openNonces(relayer: string): Unit<OpenNonce[]> {
  return yield* rows(open, { relayer })
}

const known = query((db, t) =>
  db
    .select({ nonce: t.relayerNonce.nonce })
    .from(t.relayerNonce)
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        gte(t.relayerNonce.nonce, bind("lowest")),
        lt(t.relayerNonce.nonce, bind("end")),
      ),
    )
    .orderBy(asc(t.relayerNonce.nonce)),
)
/** Nonces in `[lowest, end)` that have a row. The caller bounds the range. */
export function* knownNonces(relayer: string, lowest: number, end: number): Unit<number[]> {
  return (yield* rows(known, { relayer, lowest, end })).map(({ nonce }) => nonce)
}

const transactions = query((db, t) =>
  db
    .select()
    .from(t.relayerTransaction)
    .where(and(eq(t.relayerTransaction.relayer, bind("relayer")), eq(t.relayerTransaction.nonce, bind("nonce")))),
)

/**
 * Every transaction signed for a nonce, highest fee first. Each later one was signed with higher fees, so this order does not depend on the
 * clock.
 */
export function* transactionsOf(relayer: string, nonce: number): Unit<RelayerTransaction[]> {
  const signed = yield* rows(transactions, { relayer, nonce })
  return signed.sort((a, b) => (BigInt(a.maxFeeWei) < BigInt(b.maxFeeWei) ? 1 : -1))
}

/** The same without those whose bytes are erased. */
export function* sendableOf(relayer: string, nonce: number): Unit<RelayerTransaction[]> {
  return (yield* transactionsOf(relayer, nonce)).filter(({ raw }) => raw !== "")
}

const erase = write((db, { relayerTransaction: t, relayerNonce: n, paymentAttempt: a }) =>
  db
    .update(t)
    .set({ raw: "" })
    .where(
      and(
        sql`${t.txHash} = (select ${a.settledTx} from ${a} where ${a.id} = ${bind("attemptId")} and ${a.finality} = 'SAFE')`,
        sql`(select ${n.state} from ${n} where ${n.relayer} = ${t.relayer} and ${n.nonce} = ${t.nonce}) = 'MINED'`,
      ),
    ),
)

/**
 * Erases the bytes of the transaction that paid, once its block is safe; the hash stays. While the nonce is open here the bytes stay too, because an
 * open nonce needs bytes to send. Bytes that did not pay stay: a replaced block may open their nonce again.
 */
export function* eraseBytes(attemptId: string): Unit<void> {
  yield* changed(erase, { attemptId })
}

/** Every transaction signed for an attempt, those of its highest nonce first. */
export function* transactionsOfAttempt(attemptId: string): Unit<RelayerTransaction[]> {
  const signed: RelayerTransaction[] = []
  for (const { relayer, nonce } of yield* noncesOfAttempt(attemptId)) {
    signed.push(...(yield* transactionsOf(relayer, nonce)))
  }
  return signed
}

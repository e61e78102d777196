/** The relayer's nonces and what was signed for them. A nonce is allocated here, in a commit of its own, before anything is signed. */
import { and, asc, desc, eq, gte, inArray, isNull, max } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "./unit.ts"

export interface RelayerNonce {
  readonly relayer: string
  readonly nonce: number
  readonly attemptId: string | null
  readonly state: "ALLOCATED" | "STORED" | "MINED"
}

export interface RelayerTransaction {
  readonly txHash: string
  readonly relayer: string
  readonly nonce: number
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

/** The next nonce: above everything allocated here, and never below what the chain has mined. */
export function* allocateNonce(
  relayer: string,
  attemptId: string | null,
  minedCount: number,
  at: string,
): Unit<number> {
  const last = yield* first(highest, { relayer })
  const nonce = Math.max(minedCount, (last?.nonce ?? -1) + 1)
  yield* rows(insert, { relayer, nonce, attemptId, at })
  return nonce
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
    .orderBy(desc(t.relayerNonce.nonce), desc(t.relayerNonce.relayer))
    .limit(1),
)

export function* nonceOfAttempt(attemptId: string): Unit<RelayerNonce | null> {
  return (yield* first(ofAttempt, { attemptId })) ?? null
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
 * Keeps a signed transaction before it is sent, for the attempt the nonce was allocated to or, with null, to fill a nonce that
 * no attempt owns. False: the nonce is mined or belongs to somebody else by now, and nothing may be sent for it.
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

/** Cuts an allocated nonce off from its attempt, so that it can be filled. False: it has a raw transaction by now. */
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
    })
    .from(t.relayerNonce)
    .leftJoin(t.paymentAttempt, eq(t.paymentAttempt.id, t.relayerNonce.attemptId))
    .where(and(eq(t.relayerNonce.relayer, bind("relayer")), inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"])))
    .orderBy(asc(t.relayerNonce.nonce))
    .limit(256),
)

export function* openNonces(relayer: string): Unit<(RelayerNonce & { attemptState: string | null })[]> {
  return yield* rows(open, { relayer })
}

const mined = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ state: "MINED", updatedAt: bound("at") })
    .where(and(eq(t.relayerNonce.relayer, bind("relayer")), eq(t.relayerNonce.nonce, bind("nonce"))))
    .returning({ nonce: t.relayerNonce.nonce }),
)

export function* markMined(relayer: string, nonce: number, at: string): Unit<void> {
  yield* rows(mined, { relayer, nonce, at })
}

const highestMined = query((db, t) =>
  db
    .select({ nonce: t.relayerNonce.nonce, updatedAt: t.relayerNonce.updatedAt })
    .from(t.relayerNonce)
    .where(and(eq(t.relayerNonce.relayer, bind("relayer")), eq(t.relayerNonce.state, "MINED")))
    .orderBy(desc(t.relayerNonce.nonce))
    .limit(1),
)
const minedSince = query((db, t) =>
  db
    .select({ nonce: max(t.relayerNonce.nonce) })
    .from(t.relayerNonce)
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.state, "MINED"),
        gte(t.relayerNonce.updatedAt, bind("since")),
      ),
    ),
)
const reopen = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ state: "STORED", updatedAt: bound("at") })
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.state, "MINED"),
        gte(t.relayerNonce.nonce, bind("minedCount")),
      ),
    )
    .returning({ nonce: t.relayerNonce.nonce }),
)

/**
 * The highest nonce that was seen mined at `since` or later, or null. Nonces are mined in their order, so it is nearly always the highest
 * of all or none; only where that one was seen mined earlier, those that were seen since are looked through.
 */
export function* lastMinedNonce(relayer: string, since: string): Unit<number | null> {
  const highest = yield* first(highestMined, { relayer })
  if (!highest || highest.updatedAt >= since) return highest?.nonce ?? null
  return (yield* first(minedSince, { relayer, since }))?.nonce ?? null
}

/** A reorganization took these out of the chain again: they are waiting once more. Returns how many. */
export function* reopenNonces(relayer: string, minedCount: number, at: string): Unit<number> {
  return (yield* rows(reopen, { relayer, minedCount, at })).length
}

const transactions = query((db, t) =>
  db
    .select()
    .from(t.relayerTransaction)
    .where(and(eq(t.relayerTransaction.relayer, bind("relayer")), eq(t.relayerTransaction.nonce, bind("nonce"))))
    .orderBy(desc(t.relayerTransaction.createdAt), desc(t.relayerTransaction.txHash)),
)

/** Everything signed for a nonce, newest (highest fee) first. */
export function* transactionsOf(relayer: string, nonce: number): Unit<RelayerTransaction[]> {
  return yield* rows(transactions, { relayer, nonce })
}

const burned = query((db, t) =>
  db
    .select({ wei: t.burnedGas.wei })
    .from(t.burnedGas)
    .where(and(eq(t.burnedGas.codeHash, bind("codeHash")), eq(t.burnedGas.day, bind("day")))),
)
const burn = query((db, t) =>
  db
    .insert(t.burnedGas)
    .values({ codeHash: bind("codeHash"), day: bind("day"), wei: bind("wei") })
    .onConflictDoUpdate({ target: [t.burnedGas.codeHash, t.burnedGas.day], set: { wei: bound("wei") } })
    .returning({ wei: t.burnedGas.wei }),
)

/** Wei that reverted settlements of payers with this code burned on `day` (YYYY-MM-DD). */
export function* gasBurned(codeHash: string, day: string): Unit<bigint> {
  return BigInt((yield* first(burned, { codeHash, day }))?.wei ?? "0")
}

export function* bookBurnedGas(codeHash: string, day: string, wei: bigint): Unit<void> {
  const before = yield* gasBurned(codeHash, day)
  yield* rows(burn, { codeHash, day, wei: String(before + wei) })
}

/** Relayer nonces whose transaction the chain holds, and how they reopen when a block is replaced. */
import { and, desc, eq, gte, inArray } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { sendableOf } from "./relayer-ledger.ts"

const mined = query((db, t) =>
  db
    .update(t.relayerNonce)
    .set({ state: "MINED", updatedAt: bound("at") })
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.nonce, bind("nonce")),
        inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"]),
      ),
    )
    .returning({ nonce: t.relayerNonce.nonce }),
)

/** Returns false if another instance marked it before. */
export function* markMined(relayer: string, nonce: number, at: string): Unit<boolean> {
  return (yield* first(mined, { relayer, nonce, at })) !== undefined
}

const newest = query((db, t) =>
  db
    .select({ nonce: t.relayerNonce.nonce, updatedAt: t.relayerNonce.updatedAt })
    .from(t.relayerNonce)
    .where(and(eq(t.relayerNonce.relayer, bind("relayer")), eq(t.relayerNonce.state, "MINED")))
    .orderBy(desc(t.relayerNonce.nonce))
    .limit(1),
)
const minedFrom = query((db, t) =>
  db
    .select({ nonce: t.relayerNonce.nonce })
    .from(t.relayerNonce)
    .where(
      and(
        eq(t.relayerNonce.relayer, bind("relayer")),
        eq(t.relayerNonce.state, "MINED"),
        gte(t.relayerNonce.nonce, bind("from")),
      ),
    )
    .orderBy(desc(t.relayerNonce.nonce))
    .limit(64),
)
function reopenAs(state: "STORED" | "ALLOCATED") {
  return query((db, t) =>
    db
      .update(t.relayerNonce)
      .set({ state, updatedAt: bound("at") })
      .where(
        and(
          eq(t.relayerNonce.relayer, bind("relayer")),
          eq(t.relayerNonce.nonce, bind("nonce")),
          eq(t.relayerNonce.state, "MINED"),
        ),
      )
      .returning({ nonce: t.relayerNonce.nonce }),
  )
}
const reopenStored = reopenAs("STORED")
const reopenAllocated = reopenAs("ALLOCATED")

/** The highest mined nonce, and when its row changed. */
export function* newestMined(relayer: string): Unit<{ nonce: number; updatedAt: string } | null> {
  return (yield* first(newest, { relayer })) ?? null
}

/** Mined nonces from `from` up, highest first, at most 64. */
export function* minedNonces(relayer: string, from: number): Unit<{ nonce: number }[]> {
  return yield* rows(minedFrom, { relayer, from })
}

/**
 * The chain does not hold this nonce's transaction any more. The nonce waits again: to be sent, or to be filled when it has no transaction.
 */
export function* reopenNonce(relayer: string, nonce: number, at: string): Unit<boolean> {
  const isStored = (yield* sendableOf(relayer, nonce)).length > 0
  return (yield* first(isStored ? reopenStored : reopenAllocated, { relayer, nonce, at })) !== undefined
}

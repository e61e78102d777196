/** One look at an attempt that may have been paid: ask the chain, and send our stored bytes again while it is still open. */
import type { Address, Hex } from "viem"
import type { Transfer } from "../store/attempt-moves.ts"
import type { Attempt } from "../store/attempts.ts"
import { nonceOfAttempt, transactionsOf } from "../store/relayer-ledger.ts"
import { observePayment, type Settled, type WatchedPayment } from "./observe.ts"
import { broadcast } from "./relayer.ts"
import type { SettleDeps } from "./settle.ts"

export type Look =
  | { readonly kind: "settled"; readonly transfer: Transfer }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "pending"; readonly transaction: Hex | "" }

/** `resend`: also broadcast what is stored again; sending the same bytes twice is one transaction. Never throws for the node. */
export async function pursue(deps: SettleDeps, attempt: Attempt, resend: boolean): Promise<Look> {
  const { store, payments } = deps
  const allocated = await store.read(() => nonceOfAttempt(attempt.id))
  const sent = allocated ? await store.read(() => transactionsOf(allocated.relayer, allocated.nonce)) : []
  const hashes = sent.map(({ txHash }) => txHash as Hex)
  if (attempt.settledTx !== null) hashes.push(attempt.settledTx as Hex)
  const seen = await observePayment(payments.chain, watchedPayment(attempt), hashes)
  if (seen.kind === "settled") return { kind: "settled", transfer: transferOf(seen) }
  if (seen.kind === "failed") return { kind: "failed", why: seen.why }
  const [newest] = sent
  if (resend && newest) await broadcast(payments.chain.primary, newest.raw as Hex)
  return { kind: "pending", transaction: hashes[0] ?? "" }
}

export function watchedPayment(attempt: Attempt): WatchedPayment {
  return {
    payer: attempt.payer as Address,
    nonce: attempt.nonce as Hex,
    payTo: attempt.payTo as Address,
    value: BigInt(attempt.value),
    validBefore: attempt.validBefore,
    maxTimeoutSeconds: attempt.maxTimeoutSeconds,
  }
}

export function transferOf(settled: Settled): Transfer {
  return {
    tx: settled.txHash,
    logIndex: settled.transferLogIndex,
    block: String(settled.blockNumber),
    blockHash: settled.blockHash,
    finality: settled.finality === "included" ? "INCLUDED" : "SAFE",
  }
}

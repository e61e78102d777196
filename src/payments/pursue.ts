/** The result of one poll of the chain about an attempt that may have been paid. */
import type { Address, Hex } from "viem"
import type { Transfer } from "../store/payments/attempt-moves.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import { transactionsOfAttempt } from "../store/payments/relayer-ledger.ts"
import { type FailureCause, observePayment, type Settled, type Undecided, type WatchedPayment } from "./observe.ts"
import type { SettleDeps } from "./settle.ts"

export type Pursued =
  | { readonly kind: "settled"; readonly transfer: Transfer }
  /** See {@link Observation}. */
  | { readonly kind: "failed"; readonly why: FailureCause; readonly expired: boolean; readonly head: bigint }
  /** `authorization` is null while a node does not respond. `sendable`: see {@link Observation}. */
  | {
      readonly kind: "pending"
      readonly transaction: Hex | ""
      readonly authorization: Undecided | null
      readonly sendable: boolean
      readonly head?: bigint
    }

/** Queries the chain, with the service's own transactions as hints. Sends nothing. Never throws on a failure of the node. */
export async function pursue({ store, payments }: SettleDeps, attempt: Attempt): Promise<Pursued> {
  const sent = await store.read(() => transactionsOfAttempt(attempt.id))
  const known = new Set([...sent.map(({ txHash }) => txHash), attempt.settledTx])
  const hashes = [...known].filter((hash) => hash !== null) as Hex[]
  const seen = await observePayment(payments.chain, watchedPayment(attempt), hashes)
  if (seen.kind === "settled") return { kind: "settled", transfer: transferOf(seen) }
  if (seen.kind === "failed") return seen
  const transaction = hashes[0] ?? ""
  if (seen.kind === "unavailable") return { kind: "pending", transaction, authorization: null, sendable: false }
  return { ...seen, transaction }
}

export function watchedPayment(attempt: Attempt): WatchedPayment {
  return {
    payer: attempt.payer as Address,
    nonce: attempt.nonce as Hex,
    payTo: attempt.payTo as Address,
    value: BigInt(attempt.value),
    validAfter: attempt.validAfter,
    validBefore: attempt.validBefore,
    maxTimeoutSeconds: attempt.maxTimeoutSeconds,
    alreadyUsed: attempt.alreadyUsed === 1,
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

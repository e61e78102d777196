/**
 * What the chain says about one authorization: the only authority on "was the buyer charged". No exception, timeout or
 * answer to a broadcast ever is.
 *
 * Paid: USDC's `AuthorizationUsed(payer, nonce)` and, at the next log index, USDC's `Transfer(payer, payTo, value)`, in one
 * transaction that is in the chain. Adjacency matters: a payer can use five authorizations on transfers to himself
 * and make one true transfer in the same transaction, and a looser match would sell five decisions for it (rulings 34).
 * Unpaid: only facts read at one safe block by its hash. With a second node, both must say the same (rulings 39).
 */
import { type Address, type Hex, TransactionReceiptNotFoundError } from "viem"
import { authorizationEvent, type SearchedEvent } from "./authorization-event.ts"
import { type Proof, transferProof } from "./proof.ts"
import { type Block, type EvmChain, type EvmNode, RpcUnavailable, readAsset } from "./rpc.ts"
import type { Asset } from "./usdc.ts"

/** What was stored of an accepted authorization; no signature is needed to watch it. */
export interface WatchedPayment {
  readonly payer: Address
  readonly nonce: Hex
  readonly payTo: Address
  readonly value: bigint
  /** Seconds. */
  readonly validBefore: number
  readonly maxTimeoutSeconds: number
}

export type Finality = "included" | "safe" | "finalized"
export type FailureCause = "cancelled" | "used_for_another_transfer" | "expired_unused"

export interface Settled {
  readonly kind: "settled"
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Position of the Transfer in its block: with the transaction, the name under which it may be spent once. */
  readonly transferLogIndex: number
  readonly finality: Finality
}

export type Observation =
  | Settled
  | { readonly kind: "failed"; readonly why: FailureCause }
  | { readonly kind: "pending" }
  | { readonly kind: "unavailable"; readonly detail: string }

const PENDING: Observation = { kind: "pending" }

/**
 * Looks once. `knownHashes` are our own transactions and a facilitator's claims: shortcuts, never trusted for more than
 * where to look first; the search by (payer, nonce) finds anybody's transaction.
 */
export async function observePayment(
  chain: EvmChain,
  watched: WatchedPayment,
  knownHashes: readonly Hex[] = [],
): Promise<Observation> {
  try {
    const nodes = chain.second ? [chain.primary, chain.second] : [chain.primary]
    const [first, second] = await Promise.all(nodes.map((node) => observeOn(node, chain.asset, watched, knownHashes)))
    if (!first) return PENDING
    return second ? agreed(first, second) : first
  } catch (error) {
    if (error instanceof RpcUnavailable) return { kind: "unavailable", detail: error.message }
    throw error
  }
}

/** The weaker finality of two nodes that name the same transfer in the same block, or the same failure; else pending. */
function agreed(a: Observation, b: Observation): Observation {
  if (a.kind === "unavailable") return a
  if (b.kind === "unavailable") return b
  if (a.kind === "failed" && b.kind === "failed") return a.why === b.why ? a : PENDING
  if (a.kind !== "settled" || b.kind !== "settled") return PENDING
  const same = a.txHash === b.txHash && a.blockHash === b.blockHash && a.transferLogIndex === b.transferLogIndex
  return same ? { ...a, finality: weaker(a.finality, b.finality) } : PENDING
}

const ORDER: readonly Finality[] = ["included", "safe", "finalized"]
const weaker = (a: Finality, b: Finality) => (ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b)

async function observeOn(
  node: EvmNode,
  asset: Asset,
  watched: WatchedPayment,
  knownHashes: readonly Hex[],
): Promise<Observation> {
  for (const hash of knownHashes) {
    const outcome = await transactionOutcome(node, asset, watched, hash)
    if (outcome?.kind === "paid") return settled(node, outcome.proof)
  }
  const head = await node.block("latest")
  const { payer, nonce } = watched
  const usedAtHead = await readAsset(node, asset, "authorizationState", [payer, nonce], head.hash)
  const event = usedAtHead ? await authorizationEvent(node, asset, watched, head) : null
  if (event?.kind === "used") {
    const outcome = await transactionOutcome(node, asset, watched, event.txHash)
    if (outcome?.kind === "paid") return settled(node, outcome.proof)
    if (outcome === null) return PENDING
  }
  return failure(node, asset, watched, event)
}

type TransactionOutcome = { kind: "paid"; proof: Proof } | { kind: "other" } | null

/** Null when the transaction is not in the chain: unknown, pending, or in a block that was replaced. */
async function transactionOutcome(
  node: EvmNode,
  asset: Asset,
  watched: WatchedPayment,
  hash: Hex,
): Promise<TransactionOutcome> {
  const receipt = await node.ask("eth_getTransactionReceipt", async (client) => {
    try {
      const receipt = await client.getTransactionReceipt({ hash })
      if (!Array.isArray(receipt.logs)) throw new TypeError("a receipt without logs")
      return receipt
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    }
  })
  if (!receipt) return null
  const head = await node.block("latest")
  if (receipt.blockNumber > head.number) return null
  if ((await node.block(receipt.blockNumber)).hash !== receipt.blockHash) return null
  const proof = receipt.status === "success" ? transferProof(receipt, asset, watched) : null
  return proof ? { kind: "paid", proof } : { kind: "other" }
}

async function settled(node: EvmNode, proof: Proof): Promise<Settled> {
  const [safe, final] = await Promise.all([node.block("safe"), node.block("finalized")])
  const finality =
    proof.blockNumber <= final.number ? "finalized" : proof.blockNumber <= safe.number ? "safe" : "included"
  return { kind: "settled", ...proof, finality }
}

/** The search found no payment. It failed only if one safe block proves that none can come. */
async function failure(
  node: EvmNode,
  asset: Asset,
  { payer, nonce, validBefore }: WatchedPayment,
  event: SearchedEvent | null,
): Promise<Observation> {
  const safe: Block = await node.block("safe")
  const usedAtSafe = await readAsset(node, asset, "authorizationState", [payer, nonce], safe.hash)
  if (!usedAtSafe) {
    // USDC asks for a block time below validBefore, and every later block's is higher than this one's.
    return safe.timestamp >= validBefore ? { kind: "failed", why: "expired_unused" } : PENDING
  }
  if (!event || event.blockNumber > safe.number) return PENDING
  const canonical = event.kind === "before_search" || (await node.block(event.blockNumber)).hash === event.blockHash
  if (!canonical) return PENDING
  return { kind: "failed", why: event.kind === "cancelled" ? "cancelled" : "used_for_another_transfer" }
}

/**
 * What the chain says about one authorization. Only this decides whether the buyer was charged; an exception, a time-out or the response to
 * a broadcast never does.
 *
 * Paid: one transaction of the chain has USDC's `AuthorizationUsed(payer, nonce)` and, at the next log index, USDC's `Transfer(payer,
 * payTo, value)`. Adjacency matters: in one transaction a payer can use five authorizations on transfers to itself and make one real
 * transfer; a looser match would sell five decisions for it (rulings 34). Unpaid: a log in a safe block shows that the authorization was
 * used for something else, or a safe block is past `validBefore` and no earlier log shows a use. State alone proves nothing: one node can
 * be wrong about it for a while, and an attempt that it ended could still be paid. With a second node, both must agree (rulings 39).
 */
import type { Address, Hex } from "viem"
import { hasBegun } from "./authorization.ts"
import { authorizationEvent, usedBefore } from "./authorization-event.ts"
import type { Asset } from "./networks/network.ts"
import { type Proof, transferProof } from "./proof.ts"
import { canonicalReceipt, inChain, type MinedReceipt, receiptOf } from "./receipt.ts"
import { atBlock, type Block, type EvmChain, type EvmNode, judgedLater, RpcUnavailable, readAsset } from "./rpc.ts"

/** The stored part of an accepted authorization. Watching needs no signature. */
export interface WatchedPayment {
  readonly payer: Address
  readonly nonce: Hex
  readonly payTo: Address
  readonly value: bigint
  /** Seconds. */
  readonly validAfter: number
  readonly validBefore: number
  readonly maxTimeoutSeconds: number
  /** The chain showed the authorization as used at its first presentation. */
  readonly alreadyUsed: boolean
}

type Finality = "included" | "safe" | "finalized"
export const FAILURE_CAUSES = ["cancelled", "used_for_another_transfer", "expired_unused"] as const
export type FailureCause = (typeof FAILURE_CAUSES)[number]

export interface Settled {
  readonly kind: "settled"
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Index of the Transfer log in its block. Together with the transaction it identifies a transfer, which may pay only once. */
  readonly transferLogIndex: number
  readonly finality: Finality
  /** See {@link Observation}. */
  readonly head: bigint
}

/**
 * State of an authorization without an outcome. `USED_WITHOUT_LOG`: the state says used but no log explains it, so the node contradicts
 * itself and the operator gets an alarm.
 */
export type Undecided = "UNUSED" | "USED" | "USED_WITHOUT_LOG"

/** `head`: the number of the newest block that the node showed. */
export type Observation =
  | Settled
  /** `expired`: a safe block's time has reached `validBefore`, so no later transfer can pay. */
  | { readonly kind: "failed"; readonly why: FailureCause; readonly expired: boolean; readonly head: bigint }
  /**
   * `sendable`: a transfer in the next block would be in the window, and no known transaction can pay: each was mined before the window, or
   * there is none.
   */
  | {
      readonly kind: "pending"
      readonly authorization: Undecided
      readonly sendable: boolean
      readonly head: bigint
    }
  | { readonly kind: "unavailable"; readonly detail: string }

type Seen = Exclude<Observation, { readonly kind: "unavailable" }>

/** Whether the authorization may have paid this service, or paid it. */
export function isSeenUsed(seen: Seen): boolean {
  return seen.kind === "pending" ? seen.authorization !== "UNUSED" : seen.kind === "settled"
}

/**
 * The newest block at which the chain showed the authorization as used; null once a newer one shows it as unused. `before`: that block before
 * this observation. A node may be behind, so an older view takes nothing back.
 */
export function usedBlockAfter(before: number | null, seen: Observation): number | null {
  if (seen.kind === "unavailable") return before
  const head = Number(seen.head)
  if (isSeenUsed(seen)) return newerBlock(before, head)
  return before !== null && before >= head ? before : null
}

export function newerBlock(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

const pending = (authorization: Undecided, head: bigint, sendable = false): Seen => ({
  kind: "pending",
  authorization,
  sendable,
  head,
})

/**
 * Looks once. `knownHashes`: the service's own transactions and a facilitator's claims. They only say where to look first; the search by
 * (payer, nonce) finds a transaction of any sender.
 */
export async function observePayment(
  chain: EvmChain,
  watched: WatchedPayment,
  knownHashes: readonly Hex[] = [],
): Promise<Observation> {
  try {
    const first = observeOn(chain.primary, chain.asset, watched, knownHashes)
    if (!chain.second) return await first
    const second = observeOn(chain.second, chain.asset, watched, knownHashes)
    const [a, b] = await Promise.all([first, second])
    return agreed(a, b)
  } catch (error) {
    if (error instanceof RpcUnavailable) return { kind: "unavailable", detail: error.message }
    throw error
  }
}

/** The weaker finality when two nodes name the same transfer in the same block, or the same failure. Otherwise pending. */
function agreed(a: Observation, b: Observation): Observation {
  if (a.kind === "unavailable") return a
  if (b.kind === "unavailable") return b
  if (a.kind === "failed" && b.kind === "failed" && a.why === b.why) {
    return { ...a, expired: a.expired && b.expired, head: lower(a.head, b.head) }
  }
  if (a.kind === "settled" && b.kind === "settled") {
    const same = a.txHash === b.txHash && a.blockHash === b.blockHash && a.transferLogIndex === b.transferLogIndex
    if (same) return { ...a, finality: weaker(a.finality, b.finality), head: higher(a.head, b.head) }
  }
  const contradicting = [a, b].find((seen) => undecided(seen) === "USED_WITHOUT_LOG")
  if (contradicting) return contradicting
  const state = worse(undecided(a), undecided(b))
  // A use that one node shows holds until both show a newer block without it.
  const head = state === "UNUSED" ? lower(a.head, b.head) : higher(a.head, b.head)
  return pending(state, head, isSendable(a) && isSendable(b))
}

const isSendable = (seen: Observation) => seen.kind === "pending" && seen.sendable

/** The state that one node's outcome implies while the other node does not confirm it. */
function undecided(seen: Observation): Undecided {
  if (seen.kind === "pending") return seen.authorization
  return seen.kind === "failed" && seen.why === "expired_unused" ? "UNUSED" : "USED"
}

const ALARM: readonly Undecided[] = ["UNUSED", "USED", "USED_WITHOUT_LOG"]
const worse = (a: Undecided, b: Undecided) => (ALARM.indexOf(a) > ALARM.indexOf(b) ? a : b)

const lower = (a: bigint, b: bigint) => (a < b ? a : b)
const higher = (a: bigint, b: bigint) => (a > b ? a : b)

const ORDER: readonly Finality[] = ["included", "safe", "finalized"]
const weaker = (a: Finality, b: Finality) => (ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b)

async function observeOn(
  node: EvmNode,
  asset: Asset,
  watched: WatchedPayment,
  knownHashes: readonly Hex[],
): Promise<Observation> {
  // Asked in one turn, judged in order.
  const answers = knownHashes.map((hash) => judgedLater(receiptOf(node, hash)))
  const newest = judgedLater(node.block("latest"))
  const safest = judgedLater(node.block("safe"))
  let mayPay = false
  for (const answer of answers) {
    const receipt = await answer
    const mined = receipt && (await inChain(node, receipt, await newest, await safest))
    const outcome = outcomeOf(mined, asset, watched)
    if (outcome?.kind === "paid") return settled(node, outcome.proof, await newest, await safest)
    if (outcome === null || hasBegun(watched, outcome.blockSeconds)) mayPay = true
  }
  const [head, safe] = [await newest, await safest]
  const { payer, nonce, validBefore } = watched
  const isUsed = await readAsset(atBlock(node, head.hash), asset, "authorizationState", [payer, nonce])
  // USDC requires a block time below validBefore, and every later block has a later time. A head below the safe block is an older view; its
  // logs may be incomplete.
  const expired = safe.number <= head.number && safe.timestamp >= validBefore
  if (!isUsed && !expired) {
    return pending("UNUSED", head.number, !mayPay && hasBegun(watched, head.timestamp) && head.timestamp < validBefore)
  }

  const { event, start } = await authorizationEvent(node, asset, watched, head)
  if (!event) return withoutLog(node, asset, watched, { head, safe, expired, start })
  if (event.kind === "used") {
    // The search took many turns, so a newer head judges what it found.
    const outcome = outcomeOf(await canonicalReceipt(node, event.txHash), asset, watched)
    if (outcome?.kind === "paid") return settled(node, outcome.proof, head, safe)
    if (outcome === null) return pending("USED", head.number)
  }
  const isSafe = event.blockNumber <= safe.number && (await node.block(event.blockNumber)).hash === event.blockHash
  if (!isSafe) return pending("USED", head.number)
  return {
    kind: "failed",
    why: event.kind === "cancelled" ? "cancelled" : "used_for_another_transfer",
    expired,
    head: head.number,
  }
}

interface Searched {
  readonly head: Block
  readonly safe: Block
  readonly expired: boolean
  readonly start: bigint
}

/** The logs show no use in the only blocks in which this authorization could pay for a quote. */
async function withoutLog(
  node: EvmNode,
  asset: Asset,
  { payer, nonce, alreadyUsed }: WatchedPayment,
  { head, safe, expired, start }: Searched,
): Promise<Observation> {
  if (!expired) return pending("USED_WITHOUT_LOG", head.number)
  const isUsedAtSafe = await readAsset(atBlock(node, safe.hash), asset, "authorizationState", [payer, nonce])
  if (!isUsedAtSafe) return { kind: "failed", why: "expired_unused", expired, head: head.number }
  // It was used before any quote that it could pay. If the nonce was read as unused, the same state contradicts that reading.
  if (alreadyUsed && (await usedBefore(node, asset, { payer, nonce }, start))) {
    return { kind: "failed", why: "used_for_another_transfer", expired, head: head.number }
  }
  return pending("USED_WITHOUT_LOG", head.number)
}

type TransactionOutcome = { kind: "paid"; proof: Proof } | { kind: "other"; blockSeconds: number } | null

/** Null when the transaction is not in the chain: unknown, pending, or in a replaced block. */
function outcomeOf(receipt: MinedReceipt | null, asset: Asset, watched: WatchedPayment): TransactionOutcome {
  if (!receipt) return null
  const proof = receipt.status === "success" ? transferProof(receipt, asset, watched) : null
  return proof ? { kind: "paid", proof } : { kind: "other", blockSeconds: receipt.blockSeconds }
}

/** `safe` was answered before the block of the proof was read. So it may be too old, which makes the finality weaker at most. */
async function settled(node: EvmNode, proof: Proof, { number: head }: Block, safe: Block): Promise<Settled> {
  if (proof.blockNumber > safe.number) return { kind: "settled", ...proof, finality: "included", head }
  const final = await node.block("finalized")
  return { kind: "settled", ...proof, finality: proof.blockNumber <= final.number ? "finalized" : "safe", head }
}

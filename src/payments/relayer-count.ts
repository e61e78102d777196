/**
 * How many nonces of the relayer the chain has used, mined or pending. This matters when the relayer's key was used elsewhere: the next
 * nonce must not be below the chain's count. A count that is too high leaves a gap of nonces, and all later transactions wait for it. So
 * one node alone is trusted immediately only near the ledger's own count.
 */
import type { Address } from "viem"
import { MINUTE, SECOND } from "../core/time.ts"
import { type EvmChain, type EvmNode, RpcUnavailable, readNumber } from "./rpc.ts"

/** Nonces that one unconfirmed count may skip: as many as the relayer fills within seconds. */
export const SKIPPED_NONCES_MAX = 64
/** A larger step counts only after a single node has reported nothing lower for this long. */
const CONFIRMED_AFTER_MS = MINUTE
/** Samples within this time are merged, so that a busy server remembers a whole minute. */
const SAMPLE_EVERY_MS = SECOND

type CountTag = "latest" | "pending" | "safe"

/** Throws RpcUnavailable. */
export function transactionCount(node: EvmNode, address: Address, blockTag: CountTag): Promise<number> {
  const tag = blockTag === "safe" ? node.safeTag : blockTag
  return node.query(readNumber, "eth_getTransactionCount", address, tag)
}

/** The lower count of both nodes at their safe blocks. Null while a configured node does not respond. */
export async function safeCount({ primary, second }: EvmChain, address: Address): Promise<number | null> {
  const nodes = second ? [primary, second] : [primary]
  try {
    return Math.min(...(await Promise.all(nodes.map((node) => transactionCount(node, address, "safe")))))
  } catch (error) {
    if (error instanceof RpcUnavailable) return null
    throw error
  }
}

export class RelayerCount {
  /** Counts of the primary node, oldest first, by monotonic time. */
  private readonly samples: { readonly at: number; count: number }[] = []

  constructor(
    private readonly chain: EvmChain,
    private readonly address: Address,
    private readonly monotonic: () => number,
  ) {}

  /** The primary node's count of mined transactions. Throws RpcUnavailable. */
  async mined(): Promise<number> {
    return this.remember(await transactionCount(this.chain.primary, this.address, "latest"))
  }

  /**
   * The lowest nonce that may be allocated, pending transactions included. `next`: the lowest nonce that the ledger never allocated. Null
   * when the count is not confirmed yet. Throws RpcUnavailable.
   */
  async taken(next: number): Promise<number | null> {
    const { primary, second } = this.chain
    const count = this.remember(await transactionCount(primary, this.address, "pending"))
    if (count <= next + SKIPPED_NONCES_MAX) return count
    const other = second ? await this.answered(second) : null
    if (other !== null) return Math.min(count, other)
    return this.confirmed(next)
  }

  /** The lowest count of the last minute, if samples cover a minute and all were far above `next`. Otherwise null. */
  private confirmed(next: number): number | null {
    const since = this.monotonic() - CONFIRMED_AFTER_MS
    const [oldest] = this.samples
    if (!oldest || oldest.at > since) return null
    const lowest = Math.min(...this.samples.filter(({ at }) => at >= since).map(({ count }) => count))
    return lowest > next + SKIPPED_NONCES_MAX ? lowest : null
  }

  private async answered(node: EvmNode): Promise<number | null> {
    try {
      return await transactionCount(node, this.address, "pending")
    } catch (error) {
      if (error instanceof RpcUnavailable) return null
      throw error
    }
  }

  private remember(count: number): number {
    const at = this.monotonic()
    const last = this.samples.at(-1)
    if (last && at - last.at < SAMPLE_EVERY_MS) last.count = Math.min(last.count, count)
    else this.samples.push({ at, count })
    // Keep one sample from before the minute. It shows that the samples cover the minute.
    const kept = this.samples.findLastIndex((sample) => sample.at <= at - CONFIRMED_AFTER_MS)
    if (kept > 0) this.samples.splice(0, kept)
    return count
  }
}

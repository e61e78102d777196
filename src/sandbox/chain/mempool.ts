/** Transactions that are not mined yet: one for each sender and nonce, with geth's rules and error texts. */
import type { Address, Hex } from "viem"
import { NodeError, REFUSED } from "./node-error.ts"
import type { Transaction } from "./transaction.ts"

/** Percent by which both fees of a replacement must be higher. */
const PRICE_BUMP = 10n

interface Waiting {
  readonly transaction: Transaction
  /** Order of arrival; decides between equal fees. */
  readonly arrival: number
}

export class Mempool {
  private readonly senders = new Map<Address, Map<number, Waiting>>()
  private readonly byHash = new Map<Hex, Transaction>()
  private arrivals = 0

  /** `sizeMax`: largest number of transactions in the pool. */
  constructor(private readonly sizeMax: number) {}

  has(hash: Hex): boolean {
    return this.byHash.has(hash)
  }
  find(hash: Hex): Transaction | null {
    return this.byHash.get(hash) ?? null
  }
  /** The order has no meaning. */
  all(): Transaction[] {
    return [...this.byHash.values()]
  }

  /** Throws NodeError when the pool rejects it. `accountNonce` and `wei` are the sender's at the head. */
  add(transaction: Transaction, accountNonce: number, wei: bigint): void {
    const { hash, from, nonce } = transaction
    if (this.byHash.has(hash)) throw new NodeError(REFUSED, "already known")
    if (nonce < accountNonce) {
      throw new NodeError(REFUSED, `nonce too low: next nonce ${accountNonce}, tx nonce ${nonce}`)
    }
    const cost = costOf(transaction)
    if (wei < cost) {
      const words = `insufficient funds for gas * price + value: balance ${wei}, tx cost ${cost}`
      throw new NodeError(REFUSED, `${words}, overshot ${cost - wei}`)
    }
    const rival = this.senders.get(from)?.get(nonce)?.transaction
    if (rival && !isRaised(rival, transaction)) throw new NodeError(REFUSED, "replacement transaction underpriced")
    const queued = this.queuedCost(from, accountNonce) - (rival ? costOf(rival) : 0n)
    if (wei < queued + cost) {
      const words = `insufficient funds for gas * price + value: balance ${wei}, queued cost ${queued}, tx cost ${cost}`
      throw new NodeError(REFUSED, `${words}, overshot ${queued + cost - wei}`)
    }
    if (!rival && this.byHash.size >= this.sizeMax) throw new NodeError(REFUSED, "txpool is full")
    this.put(transaction)
  }

  /** Adds a transaction of a dropped block, without checks. */
  put(transaction: Transaction): void {
    const { hash, from, nonce } = transaction
    let ofSender = this.senders.get(from)
    if (!ofSender) {
      ofSender = new Map()
      this.senders.set(from, ofSender)
    }
    const rival = ofSender.get(nonce)
    if (rival) this.byHash.delete(rival.transaction.hash)
    ofSender.set(nonce, { transaction, arrival: this.arrivals++ })
    this.byHash.set(hash, transaction)
  }

  /** Returns false when the transaction is not in the pool. */
  drop(hash: Hex): boolean {
    const transaction = this.byHash.get(hash)
    if (!transaction) return false
    const { from, nonce } = transaction
    this.byHash.delete(hash)
    const ofSender = this.senders.get(from)
    ofSender?.delete(nonce)
    if (ofSender?.size === 0) this.senders.delete(from)
    return true
  }

  /** Call when a transaction of this sender and nonce was mined. Removes any other transaction with that nonce. */
  mined({ from, nonce }: Transaction): void {
    const waiting = this.senders.get(from)?.get(nonce)
    if (waiting) this.drop(waiting.transaction.hash)
  }

  /** The sender's next unused nonce, after the waiting transactions without a gap. */
  nextNonce(from: Address, accountNonce: number): number {
    const ofSender = this.senders.get(from)
    let next = accountNonce
    while (ofSender?.has(next)) next++
    return next
  }

  /**
   * Transactions that can be mined at this base fee: best tip first, each sender's in nonce order. The caller removes a mined one before it
   * asks for the next. A transaction that is not `isWanted`, or that the caller does not mine, stops its sender.
   */
  *minable(
    baseFee: bigint,
    accountNonce: (from: Address) => number,
    isWanted: (transaction: Transaction) => boolean,
  ): Generator<Transaction> {
    const heads: Waiting[] = []
    const push = (ofSender: Map<number, Waiting> | undefined, nonce: number) => {
      const waiting = ofSender?.get(nonce)
      if (waiting && waiting.transaction.maxFeePerGas >= baseFee && isWanted(waiting.transaction)) heads.push(waiting)
    }
    for (const [from, ofSender] of this.senders) push(ofSender, accountNonce(from))
    while (heads.length > 0) {
      let best = 0
      for (let at = 1; at < heads.length; at++) {
        if (isBefore(heads[at] as Waiting, heads[best] as Waiting, baseFee)) best = at
      }
      const [chosen] = heads.splice(best, 1) as [Waiting]
      const { from, nonce } = chosen.transaction
      const ofSender = this.senders.get(from)
      yield chosen.transaction
      if (!this.byHash.has(chosen.transaction.hash)) push(ofSender, nonce + 1)
    }
  }

  /** The highest cost in wei of the sender's waiting transactions without a gap. */
  private queuedCost(from: Address, accountNonce: number): bigint {
    const ofSender = this.senders.get(from)
    let sum = 0n
    for (let nonce = accountNonce; ; nonce++) {
      const waiting = ofSender?.get(nonce)
      if (!waiting) return sum
      sum += costOf(waiting.transaction)
    }
  }
}

const costOf = ({ gas, maxFeePerGas, value }: Transaction) => gas * maxFeePerGas + value

function isRaised(rival: Transaction, next: Transaction): boolean {
  const isEnough = (now: bigint, before: bigint) => now > before && now * 100n >= before * (100n + PRICE_BUMP)
  return (
    isEnough(next.maxFeePerGas, rival.maxFeePerGas) && isEnough(next.maxPriorityFeePerGas, rival.maxPriorityFeePerGas)
  )
}

function isBefore(a: Waiting, b: Waiting, baseFee: bigint): boolean {
  const [tipOfA, tipOfB] = [tipOf(a.transaction, baseFee), tipOf(b.transaction, baseFee)]
  return tipOfA === tipOfB ? a.arrival < b.arrival : tipOfA > tipOfB
}

/** Wei per gas that the transaction pays above the base fee. */
export function tipOf({ maxFeePerGas, maxPriorityFeePerGas }: Transaction, baseFee: bigint): bigint {
  const headroom = maxFeePerGas - baseFee
  return headroom < maxPriorityFeePerGas ? headroom : maxPriorityFeePerGas
}

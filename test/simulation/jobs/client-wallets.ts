/**
 * Transactions of the buyers' wallets. A wallet sends again what the pool or a reorganization lost, under the same nonce, so that a later
 * transaction never waits behind a gap.
 */
import type { Address, Hex } from "viem"
import { NodeError } from "../../../src/sandbox/chain/node-error.ts"
import type { Scheduler } from "../scheduler.ts"
import type { SimulatedChain } from "../simulated-chain.ts"

const LOOK_MS = 3_000
const FEES = { maxPriorityFeePerGas: 10_000_000n, maxFeePerGas: 10n ** 10n }

export interface Sent {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  nonce: number
  hash: Hex
}

export class ClientWallets {
  /** By sender in lower case, the lowest nonce first; without those that are safe. */
  private readonly open = new Map<Address, Sent[]>()

  constructor(
    private readonly chain: SimulatedChain,
    private readonly scheduler: Scheduler,
  ) {}

  start(): void {
    this.scheduler.after(LOOK_MS, "wallets look", null, () => {
      for (const from of this.open.keys()) this.tend(from)
      this.start()
    })
  }

  send(sender: Address, to: Address, data: Hex): Sent {
    const from = sender.toLowerCase() as Address
    const sent: Sent = { from, to, data, nonce: 0, hash: "0x" }
    this.sendLast(sent)
    return sent
  }

  private sendLast(sent: Sent): void {
    const { from } = sent
    const queue = this.open.get(from) ?? []
    sent.nonce = Math.max(this.chain.model.pendingNonce(from), (queue.at(-1)?.nonce ?? -1) + 1)
    this.open.set(from, [...queue, sent])
    this.submit(sent)
  }

  private submit(sent: Sent): void {
    try {
      sent.hash = this.chain.model.submit({ ...sent, ...FEES, gas: 600_000n })
    } catch (error) {
      // The next look tries again.
      if (!(error instanceof NodeError)) throw error
    }
  }

  private tend(from: Address): void {
    const { model } = this.chain
    const mined = model.ledger.nonce(from)
    const safe = model.ledger.nonce(from, model.safe.number)
    const known = this.open.get(from) ?? []
    this.open.set(
      from,
      known.filter(({ nonce }) => nonce >= safe),
    )
    // Another transaction took the nonce.
    for (const sent of known) if (sent.nonce < safe && model.receipt(sent.hash) === null) this.sendLast(sent)
    const queue = this.open.get(from) ?? []
    const waiting = new Set(model.waiting().flatMap((one) => (one.from === from ? [one.nonce] : [])))
    for (const sent of queue) if (sent.nonce >= mined && !waiting.has(sent.nonce)) this.submit(sent)
    // A lost transaction of another part of this world left a gap.
    const isStuck = !waiting.has(mined) && queue.every(({ nonce }) => nonce !== mined)
    const isWaitedFor = waiting.size > 0 || queue.some(({ nonce }) => nonce > mined)
    if (isStuck && isWaitedFor) this.submit({ from, to: from, data: "0x", nonce: mined, hash: "0x" })
  }
}

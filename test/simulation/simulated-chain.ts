/** The chain of a simulated world: one block a second, changing gas prices, reorganizations, funded wallets. */

import type { Address, Hex } from "viem"
import { BASE } from "../../src/payments/networks/base.ts"
import type { Relayer, SignedTransaction } from "../../src/payments/relayer.ts"
import type { Block } from "../../src/sandbox/chain/block.ts"
import { ModelChain } from "../../src/sandbox/chain/model-chain.ts"
import type { Submission } from "../../src/sandbox/chain/model-chain-options.ts"
import { ModelNode } from "../../src/sandbox/chain/model-node.ts"
import { escrowContract } from "../sandbox/chain/parts/escrow-contract.ts"
import { openEscrowStorage } from "../sandbox/chain/parts/escrow-state.ts"
import { PAYERS, POOR, PROVIDER, RELAYERS, THIEF } from "./accounts.ts"
import { ESCROW, IMPLEMENTATION, PROVIDER_LOWER, TREASURY } from "./jobs/job-terms.ts"
import type { Random } from "./random.ts"
import type { Scheduler } from "./scheduler.ts"
import { EVERYBODY } from "./trace.ts"

/** Fees in hundredths of a percent, as on a test network. */
const CONTRACT = {
  address: ESCROW,
  implementation: IMPLEMENTATION,
  treasury: TREASURY,
  platformFeeBp: 100n,
  evaluatorFeeBp: 500n,
}
const BLOCK_MS = 1_000
const BLOCKS_BEFORE = 200
const SECONDS_BEFORE = 2
const BASE_FEE = 10_000_000n
const PLENTY_OF_ETHER = 10n ** 20n
/** A few prices. */
const POOR_BALANCE = 3_000_000n

/** Of the chain's clock, in seconds from true time: how far behind, how far ahead, and how much it may go back at once. */
const CLOCK_SECONDS_MIN = -120
const CLOCK_SECONDS_MAX = 60
const BACK_SECONDS_MAX = 15

export interface ChainParts {
  readonly scheduler: Scheduler
  /** True time in ms. */
  readonly now: () => number
  readonly note: (text: string, about: readonly string[]) => void
  readonly onMined: (block: Block) => void
  readonly onDropped: (block: Block) => void
  /** Whether the chain has the escrow contract of jobs. */
  readonly hasEscrow: boolean
  /** Decides how far the chain's clock is from true time; null for a right one. */
  readonly clock: Random | null
}

export class SimulatedChain {
  readonly model: ModelChain
  readonly node: ModelNode
  /** Transactions that no block includes. */
  readonly held = new Set<Hex>()
  /** Who signed a relayer's transaction. Recovering it takes longer than a purchase. */
  readonly escrow = openEscrowStorage(CONTRACT, BASE.asset.address)
  private readonly signers = new Map<Hex, Address>()
  /** While it is halted no block is mined; transactions wait. */
  isHalted = false
  /** How far the chain's clock is ahead of true time, in seconds. */
  private clockOffset = 0
  /** When its clock was last set; virtual ms. */
  clockSetAt = Number.NEGATIVE_INFINITY
  private spike = 1n
  private spikeUntil = 0

  constructor(private readonly parts: ChainParts) {
    if (parts.clock) this.clockOffset = parts.clock.between(CLOCK_SECONDS_MIN, CLOCK_SECONDS_MAX)
    this.model = new ModelChain({
      network: BASE,
      genesisTime: this.seconds() - SECONDS_BEFORE * BLOCKS_BEFORE,
      safeLag: 12,
      finalizedLag: 20,
      // The provider calls the escrow, or itself.
      senderOf: (raw) =>
        raw.includes(ESCROW.slice(2)) || raw.includes(PROVIDER_LOWER.slice(2)) ? PROVIDER : this.signerOf(raw),
      contracts: parts.hasEscrow ? escrowContract(this.escrow) : new Map(),
    })
    this.node = new ModelNode(this.model)
    const mine = () => this.model.mine(this.model.head.timestamp + SECONDS_BEFORE)
    for (let left = BLOCKS_BEFORE - 1; left > 0; left--) mine()
    for (const address of [...RELAYERS, PROVIDER, THIEF, ...PAYERS.map((payer) => payer.address)]) {
      this.model.setEther(address, PLENTY_OF_ETHER)
    }
    for (const { address } of PAYERS) this.model.setUsdc(address, 10n ** 12n)
    this.model.setUsdc(POOR.address, POOR_BALANCE)
    mine()
  }

  /** The same relayer; the chain knows what it signs. */
  known({ address, sign, signFill, resign }: Relayer): Relayer {
    const note = <Signed extends SignedTransaction>(signed: Signed) => {
      this.signers.set(signed.raw, address)
      return signed
    }
    return {
      address,
      sign: async (...call) => note(await sign(...call)),
      signFill: async (...fill) => note(await signFill(...fill)),
      resign: async (...stored) => note(await resign(...stored)),
    }
  }

  private signerOf(raw: Hex): Address {
    const signer = this.signers.get(raw)
    if (signer === undefined) throw new TypeError("bytes that no relayer signed")
    return signer
  }

  /** Blocks are mined from now on. */
  start(): void {
    const { scheduler } = this.parts
    const mine = () => {
      const seconds = this.seconds()
      if (seconds > this.model.head.timestamp && !this.isHalted) this.mine(seconds, () => true)
      scheduler.after(BLOCK_MS, "block", null, mine)
    }
    scheduler.after(BLOCK_MS, "block", null, mine)
  }

  /** Sets the chain's clock. When it goes back, no block comes until the clock is past the head again. */
  moveClock(random: Random): void {
    const least = Math.max(CLOCK_SECONDS_MIN, this.clockOffset - BACK_SECONDS_MAX)
    this.setClock(random.between(least, CLOCK_SECONDS_MAX))
    this.parts.note(`the chain's clock is ${this.clockOffset} s ahead`, [EVERYBODY])
  }

  /** The chain's clock shows true time from the next block that is past the head. */
  setClockRight(): void {
    this.setClock(0)
  }

  private setClock(offset: number): void {
    this.clockOffset = offset
    this.clockSetAt = this.parts.scheduler.time
  }

  /** What the administrators of the escrow contract do. */
  pauseEscrow(isPaused: boolean): void {
    this.model.administer(() => this.escrow.configure(this.model.ledger, { isPaused }))
  }

  /** How far the chain's clock is behind true time, in seconds; 0 when it is ahead. */
  get secondsBehind(): number {
    return Math.max(0, -this.clockOffset)
  }

  /** What the chain's clock shows, or the time of the newest block if that is later; seconds. */
  get shownSeconds(): number {
    return Math.max(this.model.head.timestamp, this.seconds())
  }

  /** Whether gas costs more than usual. */
  get isDear(): boolean {
    return this.parts.now() < this.spikeUntil
  }

  spikeGas(times: number, ms: number): void {
    this.spike = BigInt(times)
    this.spikeUntil = this.parts.now() + ms
    this.parts.note(`gas costs ${times} times as much for ${Math.round(ms)} ms`, [EVERYBODY])
  }

  /** From the next block on. */
  calmGas(): void {
    this.spikeUntil = 0
  }

  /** Replaces the last blocks by others of the same times, which omit some of the transactions or lose them. */
  reorganize(depth: number, random: Random, lossRate: number): void {
    const { model } = this
    const deep = Math.min(depth, model.head.number - model.safe.number)
    if (deep <= 0) return
    const dropped = Array.from({ length: deep }, (_, back) => model.block(model.head.number - back))
    for (const block of dropped) if (block) this.parts.onDropped(block)
    model.reorganize(deep, () => !random.chance(lossRate))
    this.parts.note(`reorganization: ${deep} blocks leave the chain`, [EVERYBODY])
    for (const block of dropped.reverse()) if (block) this.mine(block.timestamp, () => random.chance(0.6))
  }

  movePoorBalance(isGone: boolean): void {
    this.model.setUsdc(POOR.address, isGone ? 100n : POOR_BALANCE)
    this.parts.note(isGone ? "the poor wallet is empty" : "the poor wallet has money", [EVERYBODY])
  }

  /** Sends another party's call to the pool, with a tip above the relayer's. Null when the pool refuses it. */
  submit(from: Hex, data: Hex): Hex | null {
    const submission: Submission = {
      from,
      to: BASE.asset.address,
      data,
      maxPriorityFeePerGas: 10_000_000n,
      maxFeePerGas: 10n ** 10n,
    }
    try {
      return this.model.submit(submission)
    } catch {
      return null
    }
  }

  /** The chain's clock. */
  private seconds(): number {
    return Math.floor(this.parts.now() / 1000) + this.clockOffset
  }

  private mine(seconds: number, isWanted: () => boolean): void {
    const { model, held, parts } = this
    model.nextBaseFee = this.isDear ? BASE_FEE * this.spike : BASE_FEE
    const block = model.mine(seconds, ({ hash }) => !held.has(hash) && isWanted())
    const hashes = block.receipts.map(({ transaction }) => transaction.hash)
    const shown = block.receipts.map(
      ({ transaction, isSuccess }) => `${transaction.hash}${isSuccess ? "" : " reverted"}`,
    )
    parts.note(`block ${block.number} mined: ${shown.join(", ")}`, hashes)
    parts.onMined(block)
  }
}

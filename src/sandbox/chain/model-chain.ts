/**
 * An EVM chain in memory. It is exact in everything that the payment code relies on: accounts and their nonces, USDC's EIP-3009
 * with both events, blocks with times, a mempool with replacement and eviction, reorganizations, `latest`, `safe` and `finalized`.
 * It uses no clock, random numbers, timers or sockets: the caller mines each block and sets its time. Every method is synchronous.
 * The same calls in the same order give the same hashes.
 *
 *     const chain = new ModelChain({ network: BASE, genesisTime: 1_760_000_000 })
 *     chain.setUsdc(payer, 10_000_000n)
 *     chain.setEther(relayer, 10n ** 18n)
 *     chain.sendRaw(raw)                     // or through a node: see model-node.ts
 *     chain.mine(chain.head.timestamp + 2)   // one block
 *     chain.reorganize(2)                    // drops two blocks; their transactions wait again
 *
 * Other contracts and accounts with code are parts that the caller hands in. It does not model contract creation, other tokens, gas prices
 * that follow demand, or byte code. An account without such a part has no code, and a call to it does nothing.
 */
import type { Address, Hex } from "viem"
import type { Asset } from "../../payments/networks/network.ts"
import { type Block, blockHash, type Log, type Receipt } from "./block.ts"
import type { Contract, Effect } from "./contract.ts"
import { Contracts } from "./contracts.ts"
import { type Executed, executeTransaction, type SimulatedCall, simulateCall } from "./execute.ts"
import { AT_HEAD, Ledger } from "./ledger.ts"
import { Mempool, tipOf } from "./mempool.ts"
import type { ModelChainOptions, Submission } from "./model-chain-options.ts"
import { NodeError, REFUSED } from "./node-error.ts"
import { Orphans } from "./orphans.ts"
import { Signatures, type SignedTransfer } from "./signatures.ts"
import { intrinsicGas, readTransaction, type SenderOf, type Transaction, unsignedTransaction } from "./transaction.ts"

/** Largest gas limit of a transaction: Base's block limit. */
const GAS_LIMIT_MAX = 30_000_000n
/** Limit of remembered parsed transactions, because the same bytes are often sent again. The oldest is dropped. */
const REMEMBERED_MAX = 5_000

export class ModelChain {
  readonly asset: Asset
  /** The asset's address in lower case. */
  readonly token: Address
  readonly suggestedTip: bigint
  /** Blocks that `safe` and `finalized` are behind the head. A change applies from the next block; neither ever goes back. */
  safeLag: number
  finalizedLag: number
  /** Wei per gas of the next block. */
  nextBaseFee: bigint
  readonly ledger = new Ledger()
  readonly signatures: Signatures
  readonly contracts: Contracts
  readonly orphans = new Orphans()
  private readonly pool: Mempool
  private readonly blocks: Block[] = []
  private readonly byHash = new Map<Hex, Block>()
  private readonly receipts = new Map<Hex, Receipt>()
  private readonly read = new Map<Hex, Transaction>()
  private administered: { block: number; change: () => void }[] = []
  private branch = 0
  private safeNumber = 0
  private finalizedNumber = 0
  private readonly senderOf: SenderOf | null
  private readonly blockTransactionsMax: number

  constructor(options: ModelChainOptions) {
    this.asset = options.network.asset
    this.suggestedTip = options.suggestedTip ?? 1_000_000n
    this.safeLag = options.safeLag ?? 1
    this.finalizedLag = options.finalizedLag ?? 2
    this.nextBaseFee = options.baseFeePerGas ?? 10_000_000n
    this.senderOf = options.senderOf ?? null
    this.blockTransactionsMax = options.blockTransactionsMax ?? 200
    this.pool = new Mempool(options.poolMax ?? 10_000)
    this.signatures = new Signatures(options.network.asset)
    this.token = lower(options.network.asset.address)
    this.contracts = new Contracts(this.token, options.contracts ?? new Map())
    const parentHash: Hex = `0x${"0".repeat(64)}`
    this.append({ number: 0, parentHash, timestamp: options.genesisTime, receipts: [], changes: this.ledger.open(0) })
  }

  get head(): Block {
    return this.blocks.at(-1) as Block
  }
  get safe(): Block {
    return this.blocks[this.safeNumber] as Block
  }
  get finalized(): Block {
    return this.blocks[this.finalizedNumber] as Block
  }
  block(number: number): Block | null {
    return this.blocks[number] ?? null
  }
  /** Null for a block that was replaced. */
  blockOfHash(hash: Hex): Block | null {
    return this.byHash.get(hash) ?? null
  }
  /** Null while the transaction is not in the chain. */
  receipt(hash: Hex): Receipt | null {
    return this.receipts.get(hash) ?? null
  }
  /** Waiting transactions. The order has no meaning. */
  waiting(): Transaction[] {
    return this.pool.all()
  }
  waitingTransaction(hash: Hex): Transaction | null {
    return this.pool.find(hash)
  }
  /** The account's next free nonce, after the waiting transactions without a gap. */
  pendingNonce(account: Address): number {
    const from = lower(account)
    return this.pool.nextNonce(from, this.ledger.nonce(from))
  }

  /** Accepts signed bytes like `eth_sendRawTransaction` and returns the hash. Throws NodeError. */
  sendRaw(raw: Hex): Hex {
    const transaction = this.readRaw(raw)
    this.take(transaction)
    return transaction.hash
  }

  /** Accepts an unsigned transaction of a thief or any other party and returns the hash. Throws NodeError like `sendRaw`. */
  submit(submission: Submission): Hex {
    const from = lower(submission.from)
    const maxPriorityFeePerGas = submission.maxPriorityFeePerGas ?? this.suggestedTip
    const transaction = unsignedTransaction({
      from,
      to: lower(submission.to),
      nonce: submission.nonce ?? this.pendingNonce(from),
      data: lower(submission.data ?? "0x"),
      value: submission.value ?? 0n,
      gas: submission.gas ?? 2_000_000n,
      maxFeePerGas: submission.maxFeePerGas ?? this.nextBaseFee * 2n + maxPriorityFeePerGas,
      maxPriorityFeePerGas,
    })
    this.take(transaction)
    return transaction.hash
  }

  /** Parses signed bytes without sending them. Throws NodeError for bytes that are not a transaction. */
  readRaw(raw: Hex): Transaction {
    const known = this.read.get(raw)
    if (known) return known
    const transaction = readTransaction(raw, this.asset.chainId, this.senderOf)
    if (this.read.size >= REMEMBERED_MAX) {
      const [oldest] = this.read.keys()
      if (oldest !== undefined) this.read.delete(oldest)
    }
    this.read.set(raw, transaction)
    return transaction
  }

  /** Evicts a waiting transaction. Later nonces of its sender then wait behind the gap. Returns false when it is not waiting. */
  drop(hash: Hex): boolean {
    return this.pool.drop(hash)
  }

  /**
   * Mines one block from the waiting transactions whose senders can pay. `isWanted` false keeps a transaction, and its sender's later ones,
   * in the pool. Throws RangeError when `timestamp` (seconds) is not after the head's.
   */
  mine(timestamp: number, isWanted: (transaction: Transaction) => boolean = () => true): Block {
    const parent = this.head
    if (timestamp <= parent.timestamp) throw new RangeError("a block's time must be after its parent's")
    const number = parent.number + 1
    const changes = this.ledger.open(number)
    const header = { number, parentHash: parent.hash, timestamp, receipts: [] as Receipt[], changes }
    const mined: Executed[] = []
    for (const transaction of this.pool.minable(this.nextBaseFee, (from) => this.ledger.nonce(from), isWanted)) {
      if (mined.length >= this.blockTransactionsMax) break
      const { gas, maxFeePerGas, value, from } = transaction
      if (this.ledger.wei(from) < gas * maxFeePerGas + value) continue
      this.pool.mined(transaction)
      mined.push(executeTransaction(this, transaction, timestamp, this.nextBaseFee))
    }
    const block = this.append(header, mined)
    let [cumulativeGasUsed, logIndex] = [0n, 0]
    for (const { transaction, effect, gasUsed } of mined) {
      cumulativeGasUsed += gasUsed
      const logs: Log[] = []
      if (effect.isSuccess) for (const event of effect.events) logs.push({ ...event, index: logIndex++ })
      const index = header.receipts.length
      const effectiveGasPrice = block.baseFeePerGas + tipOf(transaction, block.baseFeePerGas)
      const { isSuccess } = effect
      const receipt = { transaction, block, index, isSuccess, gasUsed, cumulativeGasUsed, effectiveGasPrice, logs }
      header.receipts.push(receipt)
      this.receipts.set(transaction.hash, receipt)
    }
    return block
  }

  /**
   * Drops the last `depth` blocks and restores the state before them. Their transactions wait again, except those for which `isKept`
   * returns false; these are lost. Throws RangeError for a depth that would drop the safe block.
   */
  reorganize(depth: number, isKept: (transaction: Transaction) => boolean = () => true): void {
    if (depth <= 0) return
    const last = this.head.number - depth
    if (last < this.safeNumber) throw new RangeError(`only ${this.head.number - this.safeNumber} blocks are not safe`)
    const dropped = this.blocks.splice(last + 1)
    this.orphans.add(dropped)
    this.ledger.rollBack(
      last,
      dropped.map(({ changes }) => changes),
    )
    for (const block of dropped) {
      this.byHash.delete(block.hash)
      for (const { transaction } of block.receipts) {
        this.receipts.delete(transaction.hash)
        if (isKept(transaction)) this.pool.put(transaction)
      }
    }
    this.branch++
    this.ledger.open(last, this.head.changes)
    const again = this.administered.filter(({ block }) => block > last)
    this.administered = this.administered.filter(({ block }) => block <= last)
    for (const { change } of again) this.administer(change)
  }

  /** Runs a call on the state at the end of a block and rolls all writes back. */
  simulate(call: SimulatedCall, block: Block): Effect {
    const at = block === this.head ? AT_HEAD : block.number
    return simulateCall(this, { ...call, from: lower(call.from), to: lower(call.to) }, at, block.timestamp)
  }

  /** See `Signatures.register`: this signature is not recovered on use. */
  registerAuthorization(signed: SignedTransfer, signer?: Address): void {
    this.signatures.register(signed, signer)
  }

  /** Changes from outside the chain. They apply from the head on, and a reorganization does not undo them. */
  setUsdc(account: Address, atomic: bigint): void {
    this.administer(() => this.ledger.setUsdc(lower(account), atomic))
  }
  setEther(account: Address, wei: bigint): void {
    this.administer(() => this.ledger.setWei(lower(account), wei))
  }
  setPaused(isPaused: boolean): void {
    this.administer(() => this.ledger.setPaused(isPaused))
  }
  setBlacklisted(account: Address, isListed: boolean): void {
    this.administer(() => this.ledger.setBlacklisted(lower(account), isListed))
  }
  /** Gives an account code, or removes it with null. */
  setCode(account: Address, code: Contract | null): void {
    this.administer(() => this.contracts.set(lower(account), this.ledger, code))
  }

  /** Makes a change from outside the chain. A reorganization makes it again. */
  administer(change: () => void): void {
    const { number } = this.head
    change()
    this.administered = this.administered.filter(({ block }) => block > this.safeNumber)
    if (number > this.safeNumber) this.administered.push({ block: number, change })
  }

  private take(transaction: Transaction): void {
    const { from, gas, data } = transaction
    if (gas > GAS_LIMIT_MAX) throw new NodeError(REFUSED, "exceeds block gas limit")
    const needed = intrinsicGas(data)
    if (gas < needed) throw new NodeError(REFUSED, `intrinsic gas too low: gas ${gas}, minimum needed ${needed}`)
    if (transaction.maxPriorityFeePerGas > transaction.maxFeePerGas) {
      throw new NodeError(REFUSED, "max priority fee per gas higher than max fee per gas")
    }
    this.pool.add(transaction, this.ledger.nonce(from), this.ledger.wei(from))
  }

  private append(
    header: Omit<Block, "hash" | "baseFeePerGas" | "safe" | "finalized">,
    mined: readonly Executed[] = [],
  ): Block {
    const { number } = header
    const baseFeePerGas = this.nextBaseFee
    const transactions = mined.map(({ transaction }) => transaction)
    const block: Block = {
      ...header,
      baseFeePerGas,
      hash: blockHash({ ...header, baseFeePerGas }, transactions, this.branch),
      safe: Math.max(this.safeNumber, number - this.safeLag),
      finalized: Math.max(this.finalizedNumber, number - this.finalizedLag),
    }
    this.blocks.push(block)
    this.byHash.set(block.hash, block)
    this.finalizedNumber = block.finalized
    // A safe block is never dropped, so its changes need not be remembered.
    while (this.safeNumber < block.safe) {
      this.safeNumber++
      const { touched, spent } = (this.blocks[this.safeNumber] as Block).changes
      touched.length = 0
      spent.length = 0
    }
    this.orphans.forget(block.safe)
    return block
  }
}

const lower = <Text extends Hex>(text: Text) => text.toLowerCase() as Text

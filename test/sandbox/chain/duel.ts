/**
 * The modelled chain and a real anvil side by side. Every transaction goes to both, both mine every block at the same time of their
 * clocks, and any difference is an error. Not compared are block numbers, block hashes and gas, which the model does not claim, and fees
 * under the base fee: anvil drops such a transaction, while geth and the model keep it waiting.
 */

import { expect } from "bun:test"
import { type Address, type Hex, hexToNumber, type RpcTransactionReceipt } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { BASE } from "../../../src/payments/networks/base.ts"
import { broadcast } from "../../../src/payments/relayer.ts"
import { CallFailed, type EvmNode, openChain, readAsset, readHex, readNumber } from "../../../src/payments/rpc.ts"
import { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import { ModelNode } from "../../../src/sandbox/chain/model-node.ts"
import { openModelChain } from "../../../src/sandbox/chain/open-model-chain.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../fixtures/chain.ts"
import { ESCROW_ADDRESS, type Escrow, openEscrow, TREASURY } from "../../fixtures/escrow.ts"
import { BATCH } from "./parts/batch-call.ts"
import { escrowContract } from "./parts/escrow-contract.ts"
import { type EscrowStorage, openEscrowStorage } from "./parts/escrow-state.ts"

const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
export const BASE_FEE = 10_000_000n

export interface Sending {
  readonly to: Address
  readonly data?: Hex
  readonly value?: bigint
  readonly nonce?: number
  readonly gas?: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export class Duel {
  /** Every transaction sent, for the comparison. */
  private readonly hashes = new Set<Hex>()
  private readonly spendings: { payer: Address; nonce: Hex }[] = []
  private readonly real: EvmNode
  private readonly modelled: EvmNode
  /** Calldata of views of the escrow, compared after each block. */
  readonly escrowViews = new Set<Hex>()
  /** Answers of the two sides, in order. A test prints them when they differ. */
  readonly story: string[] = []

  private constructor(
    readonly anvil: Chain,
    readonly model: ModelChain,
    private readonly accounts: readonly Address[],
    /** On anvil. Null when neither chain has one. */
    readonly escrow: Escrow | null,
    readonly modelledEscrow: EscrowStorage | null,
  ) {
    this.real = openChain({ rpcUrl: anvil.url, network: BASE, timeoutMs: 10_000 }).primary
    this.modelled = openModelChain(BASE, new ModelNode(model).request).primary
  }

  static async start(usdc: ReadonlyMap<Address, bigint>, { hasEscrow = false } = {}): Promise<Duel> {
    // The jobs of the escrow last for hundreds of blocks.
    const hardfork = hasEscrow ? ({ hardfork: "cancun" } as const) : {}
    const anvil = await startChain({ baseFeePerGas: BASE_FEE, ...hardfork })
    for (const [account, atomic] of usdc) await anvil.mint(account, atomic)
    const real = hasEscrow ? await openEscrow(anvil) : null
    await anvil.setAutomine(false)
    const genesisTime = await anvil.now()
    const fees = { platformFeeBp: 100n, evaluatorFeeBp: 500n }
    const places = real && { address: real.address, implementation: real.implementation, treasury: TREASURY, ...fees }
    const escrow = places && openEscrowStorage(places, BASE.asset.address)
    const options = { network: BASE, genesisTime, safeLag: 1_000, baseFeePerGas: BASE_FEE }
    const model = new ModelChain({
      ...options,
      contracts: new Map([...BATCH, ...(escrow ? escrowContract(escrow) : [])]),
    })
    const accounts = [...Object.values(DEV_ACCOUNTS).map(({ address }) => address), ESCROW_ADDRESS, TREASURY]
    for (const [account, atomic] of usdc) model.setUsdc(account, atomic)
    const duel = new Duel(anvil, model, accounts, real, escrow)
    for (const account of accounts) {
      await anvil.setEtherBalance(account, 10n ** 20n)
      model.setEther(account, 10n ** 20n)
      // The fixture's own transactions are not in the model.
      const nonce = await duel.real.nextNonce(account)
      if (nonce > 0) model.ledger.setNonce(account.toLowerCase() as Address, nonce)
    }
    return duel
  }

  now(): number {
    return this.model.head.timestamp
  }

  /** Remembers an authorization, so that its state is compared after each block. */
  watch(payer: Address, nonce: Hex): void {
    this.spendings.push({ payer, nonce })
  }

  /** Signs once and sends the same bytes to both. Both must take it, or refuse it for the same reason. */
  async send(account: PrivateKeyAccount, sending: Sending): Promise<Hex> {
    const nonce = sending.nonce ?? (await this.modelled.nextNonce(account.address))
    const raw = await account.signTransaction({
      type: "eip1559",
      chainId: BASE.asset.chainId,
      gas: 300_000n,
      ...sending,
      nonce,
    })
    await this.sendRaw(raw, `${account.address.slice(0, 6)} nonce ${nonce}`)
    return raw
  }

  async sendRaw(raw: Hex, what = "again"): Promise<void> {
    const { kind, detail } = await broadcast(this.modelled, raw)
    const real = await broadcast(this.real, raw)
    this.story.push(`${what}: model ${kind} ${detail}, anvil ${real.kind} ${real.detail}`)
    expect({ what, kind: real.kind, detail: real.detail }).toEqual({ what, kind, detail })
    if (kind === "accepted") this.hashes.add(detail as Hex)
  }

  /** Asks both sides whether a call would succeed. */
  async estimate(from: Address, to: Address, data: Hex): Promise<void> {
    const outcomes = [this.modelled, this.real].map((node) =>
      node.estimateGas({ from, to, data, gas: 2_000_000n }).then(
        () => "runs",
        (error: unknown) => (error instanceof CallFailed ? "fails" : String(error)),
      ),
    )
    const [modelled, real] = await Promise.all(outcomes)
    this.story.push(`estimate: model ${modelled}, anvil ${real}`)
    expect(real).toBe(modelled as string)
  }

  /** Mines one block on both, `seconds` after the last one, and compares everything visible. */
  async mine(seconds = 2, baseFee = BASE_FEE): Promise<void> {
    const timestamp = this.now() + seconds
    this.model.nextBaseFee = baseFee
    const block = this.model.mine(timestamp)
    await this.anvil.setNextBlockTimestamp(timestamp)
    await this.anvil.setNextBaseFee(baseFee)
    await this.anvil.mine(1)
    this.story.push(`mined ${block.receipts.map(({ transaction }) => transaction.hash.slice(0, 8)).join(" ")}`)
    await this.compare()
  }

  /** Replaces the last blocks by empty ones; their transactions are lost, as anvil does it. */
  async reorganize(depth: number): Promise<void> {
    await this.anvil.reorganize(depth)
    this.model.reorganize(depth, () => false)
    // Anvil gives the new blocks their parent's time, unlike a real chain. The next block has the same time on both sides again.
    for (let left = depth; left > 0; left--) this.model.mine(this.now() + 1, () => false)
    this.story.push(`reorganized ${depth}`)
    await this.mine()
  }

  /**
   * Drops only a transaction that is neither before a waiting one nor behind a gap: anvil would also lose the later nonce, and keep the
   * one behind the gap. Geth and the model lose exactly one.
   */
  async drop(raw: Hex): Promise<void> {
    const { hash, from, nonce } = this.model.readRaw(raw)
    if (this.model.waiting().some((other) => other.from === from && other.nonce > nonce)) return
    if (nonce >= this.model.pendingNonce(from)) return
    this.model.drop(hash)
    await this.anvil.dropTransaction(hash)
    this.story.push(`dropped ${hash.slice(0, 8)}`)
  }

  /** Pauses the token or the escrow, or lists an account, while nothing waits. */
  async administer(change: "paused" | "escrow paused" | Address, isOn: boolean): Promise<void> {
    const timestamp = this.now() + 2
    await this.anvil.setNextBlockTimestamp(timestamp)
    await this.anvil.setAutomine(true)
    if (change === "paused") await this.anvil.setPaused(isOn)
    else if (change === "escrow paused") await this.escrow?.setPaused(isOn)
    else await this.anvil.setBlacklisted(change, isOn)
    await this.anvil.setAutomine(false)
    this.model.mine(timestamp, () => false)
    if (change === "paused") this.model.setPaused(isOn)
    else if (change === "escrow paused")
      this.model.administer(() => this.modelledEscrow?.configure(this.model.ledger, { isPaused: isOn }))
    else this.model.setBlacklisted(change, isOn)
    const deployer = DEV_ACCOUNTS.deployer.address
    this.model.ledger.setNonce(deployer.toLowerCase() as Address, await this.real.nextNonce(deployer))
    this.story.push(`administered ${change} ${isOn}`)
  }

  isIdle(): boolean {
    return this.model.waiting().length === 0
  }

  isWaiting(account: Address, nonce: number): boolean {
    const from = account.toLowerCase()
    return this.model.waiting().some((transaction) => transaction.from === from && transaction.nonce === nonce)
  }

  /** How many transactions that are in the chain moved money, did something else, or failed. */
  mined(): { paid: number; other: number; failed: number } {
    const receipts = [...this.hashes].map((hash) => this.model.receipt(hash)).filter((receipt) => receipt !== null)
    const failed = receipts.filter(({ isSuccess }) => !isSuccess).length
    const paid = receipts.filter(({ logs }) => logs.length > 1).length
    return { paid, failed, other: receipts.length - paid - failed }
  }

  async compare(): Promise<void> {
    const [modelled, real] = await Promise.all([this.seen(this.modelled), this.seen(this.real)])
    expect(real).toEqual(modelled)
  }

  private async seen(node: EvmNode) {
    const of = <Item, Seen>(items: Iterable<Item>, look: (item: Item) => Promise<Seen>) =>
      Promise.all(Array.from(items, look))
    const [block, receipts, balances, spent, counts, nextNonces, views, slot] = await Promise.all([
      node.block("latest"),
      of(this.hashes, (hash) => seenReceipt(node, hash)),
      of(this.accounts, (account) => readAsset(node, BASE.asset, "balanceOf", [account])),
      of(this.spendings, ({ payer, nonce }) => readAsset(node, BASE.asset, "authorizationState", [payer, nonce])),
      of(this.accounts, (address) => node.query(readNumber, "eth_getTransactionCount", address, "latest")),
      of(this.accounts, (address) => node.nextNonce(address)),
      of(this.escrowViews, (data) => node.call({ to: ESCROW_ADDRESS, data })),
      node.query(readHex, "eth_getStorageAt", ESCROW_ADDRESS, IMPLEMENTATION_SLOT, "latest"),
    ])
    const lower = { views: views.map((word) => word.toLowerCase()), slot: slot.toLowerCase() }
    return { time: block.timestamp, receipts, balances, spent, counts, nextNonces, ...lower }
  }

  stop(): Promise<void> {
    return this.anvil.stop()
  }
}

async function seenReceipt(node: EvmNode, hash: Hex) {
  const receipt = await node.query(
    (answer) => answer as RpcTransactionReceipt | null,
    "eth_getTransactionReceipt",
    hash,
  )
  if (!receipt) return { hash, receipt: null }
  const { status, from, to, logs, gasUsed, effectiveGasPrice } = receipt
  const first = Number(logs[0]?.logIndex ?? 0)
  const isPlain = logs.length === 0 && status === "0x1" && gasUsed === "0x5208"
  return {
    hash,
    status,
    from,
    to,
    isPlain,
    effectiveGasPrice: BigInt(effectiveGasPrice),
    logs: logs.map(({ address, topics, data, logIndex }) => [
      address.toLowerCase(),
      topics,
      data,
      hexToNumber(logIndex ?? "0x0") - first,
    ]),
  }
}

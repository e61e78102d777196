/**
 * A node over a ModelChain: responds to JSON-RPC queries in memory, with geth's errors and error texts. `openModelChain` gives it to the
 * payment code.
 *
 *     const node = new ModelNode(chain)
 *     await node.request({ method: "eth_blockNumber" })      // "0x0"
 *     node.answer("eth_blockNumber", [], 3)                  // the same query to a node that is 3 blocks behind; synchronous
 *
 * Supported: eth_chainId, eth_blockNumber, eth_getBlockByNumber, eth_getBlockByHash, eth_getCode, eth_getBalance,
 * eth_getTransactionCount, eth_call, eth_estimateGas, eth_maxPriorityFeePerGas, eth_gasPrice, eth_sendRawTransaction,
 * eth_getTransactionReceipt, eth_getTransactionByHash, eth_getLogs, eth_getStorageAt. Any other method gets error -32601.
 * State at an old block is exact, also for a simulated call.
 */
import type { Address, Hex } from "viem"
import type { RpcHandler } from "../../payments/json-rpc.ts"
import type { Block } from "./block.ts"
import { AT_HEAD, authorizationKey } from "./ledger.ts"
import { logsOf, readLogFilter } from "./log-filter.ts"
import type { ModelChain } from "./model-chain.ts"
import { METHOD_NOT_FOUND, NodeError, REFUSED, reverted } from "./node-error.ts"
import { quantity, rpcBlock, rpcReceipt, rpcTransaction } from "./rpc-form.ts"
import {
  addressParam,
  type CallParams,
  callParam,
  feeOf,
  hexParam,
  quantityParam,
  senderOf,
  targetOf,
} from "./rpc-params.ts"
import { intrinsicGas } from "./transaction.ts"
import { readUsdcCall } from "./usdc-call.ts"
import { FALSE_WORD, TRUE_WORD, viewUsdc } from "./usdc-contract.ts"

interface ModelNodeOptions {
  /** Blocks that one eth_getLogs may span. Default 10,000. */
  readonly logRangeMax?: number
}

/** Gas limit of a call that names none. */
const CALL_GAS_MAX = 50_000_000n

/** What a node that is some blocks behind knows of the chain. */
interface View {
  readonly latest: Block
  readonly safe: number
  readonly finalized: number
}

export class ModelNode {
  private readonly logRangeMax: number
  constructor(
    readonly chain: ModelChain,
    options: ModelNodeOptions = {},
  ) {
    this.logRangeMax = options.logRangeMax ?? 10_000
  }

  readonly request: RpcHandler = async ({ method, params = [] }) => this.answer(method, params)

  /** Responds synchronously. `lagBlocks`: how many blocks this node is behind; its mempool is up to date. Throws NodeError. */
  answer(method: string, params: readonly unknown[], lagBlocks = 0): unknown {
    const { chain } = this
    const view = this.view(lagBlocks)
    switch (method) {
      case "eth_chainId":
        return quantity(chain.asset.chainId)
      case "eth_blockNumber":
        return quantity(view.latest.number)
      case "eth_getBlockByNumber": {
        const block = this.blockOfTag(params[0], view)
        return block && rpcBlock(block, params[1] === true)
      }
      case "eth_getBlockByHash": {
        const block = chain.blockOfHash(hexParam(params, 0))
        return block && block.number <= view.latest.number ? rpcBlock(block, params[1] === true) : null
      }
      case "eth_getCode":
        return chain.contracts.codeOf(addressParam(params, 0), chain.ledger, this.stateBlock(params[1], view))
      case "eth_getBalance":
        return quantity(chain.ledger.wei(addressParam(params, 0), this.stateBlock(params[1], view)))
      case "eth_getTransactionCount": {
        const account = addressParam(params, 0)
        if (params[1] === "pending") return quantity(chain.pendingNonce(account))
        return quantity(chain.ledger.nonce(account, this.stateBlock(params[1], view)))
      }
      case "eth_call":
        return this.call(callParam(params), params[1], view)
      case "eth_estimateGas":
        return this.estimate(callParam(params), this.selected(params[1], view))
      case "eth_maxPriorityFeePerGas":
        return quantity(chain.suggestedTip)
      case "eth_gasPrice":
        return quantity(chain.suggestedTip + view.latest.baseFeePerGas)
      case "eth_sendRawTransaction":
        return chain.sendRaw(hexParam(params, 0))
      case "eth_getTransactionReceipt": {
        const receipt = chain.receipt(hexParam(params, 0))
        return receipt && receipt.block.number <= view.latest.number ? rpcReceipt(receipt, this.chain.token) : null
      }
      case "eth_getTransactionByHash":
        return this.transaction(hexParam(params, 0), view)
      case "eth_getLogs":
        return this.logs(params[0], view)
      case "eth_getStorageAt":
        return chain.contracts.storageOf(
          addressParam(params, 0),
          quantityParam(params[1]),
          chain.ledger,
          this.stateBlock(params[2], view),
        )
      default:
        throw new NodeError(METHOD_NOT_FOUND, `the method ${method} does not exist/is not available`)
    }
  }

  private view(lagBlocks: number): View {
    const { chain } = this
    if (lagBlocks <= 0) return { latest: chain.head, safe: chain.safe.number, finalized: chain.finalized.number }
    const latest = chain.block(Math.max(0, chain.head.number - lagBlocks)) as Block
    return { latest, safe: latest.safe, finalized: latest.finalized }
  }

  private blockOfTag(tag: unknown, view: View): Block | null {
    switch (tag) {
      case undefined:
      case null:
      case "latest":
      case "pending":
        return view.latest
      case "safe":
        return this.chain.block(view.safe)
      case "finalized":
        return this.chain.block(view.finalized)
      case "earliest":
        return this.chain.block(0)
      default: {
        const number = quantityParam(tag)
        return number <= BigInt(view.latest.number) ? this.chain.block(Number(number)) : null
      }
    }
  }

  /** The block whose state is queried. AT_HEAD means the head and needs no search in a history. */
  private stateBlock(selector: unknown, view: View): number {
    const block = this.selected(selector, view)
    return block === this.chain.head ? AT_HEAD : block.number
  }

  private selected(selector: unknown, view: View): Block {
    if (typeof selector === "object" && selector !== null) {
      const { blockHash, blockNumber } = selector as { blockHash?: Hex; blockNumber?: Hex }
      if (blockHash === undefined) return this.selected(blockNumber, view)
      const block = this.chain.blockOfHash(blockHash)
      if (block && block.number <= view.latest.number) return block
      throw new NodeError(
        REFUSED,
        this.chain.orphans.has(blockHash) ? "missing trie node" : "header for hash not found",
      )
    }
    const block = this.blockOfTag(selector, view)
    if (!block) throw new NodeError(REFUSED, "header not found")
    return block
  }

  private call(params: CallParams, selector: unknown, view: View): Hex {
    const { chain } = this
    const to = targetOf(params)
    const data = params.data ?? params.input ?? "0x"
    const usdcCall = to === this.chain.token ? readUsdcCall(data) : null
    if (usdcCall?.kind === "authorization_state") {
      const isSpent = this.spentAtReplaced(selector, authorizationKey(usdcCall.payer, usdcCall.nonce))
      if (isSpent !== null) return isSpent ? TRUE_WORD : FALSE_WORD
    }
    const block = this.selected(selector, view)
    const at = block === chain.head ? AT_HEAD : block.number
    const answer = usdcCall && viewUsdc(usdcCall, chain, at)
    if (answer) return answer
    if (chain.contracts.codeOf(to, chain.ledger, at) === "0x") return "0x"
    const gas = params.gas ? BigInt(params.gas) : CALL_GAS_MAX
    const effect = this.simulate(params, to, data, block)
    if (intrinsicGas(data) + effect.gas > gas) throw new NodeError(REFUSED, "out of gas")
    if (!effect.isSuccess) throw reverted(effect.reason, effect.data)
    return effect.output
  }

  /** Whether a replaced block shows an authorization as used. Null when the selector does not name a replaced block. */
  private spentAtReplaced(selector: unknown, key: string): boolean | null {
    const { blockHash = null } = (selector ?? {}) as { blockHash?: Hex }
    return blockHash && this.chain.orphans.isSpent(blockHash, key, this.chain.ledger)
  }

  private estimate(params: CallParams, block: Block): Hex {
    const { chain } = this
    const to = targetOf(params)
    const data = params.data ?? params.input ?? "0x"
    const price = feeOf(params)
    let allowance = params.gas ? BigInt(params.gas) : CALL_GAS_MAX
    if (price > 0n) {
      const wei = chain.ledger.wei(senderOf(params), block.number) - BigInt(params.value ?? "0x0")
      if (wei < 0n) throw new NodeError(REFUSED, "insufficient funds for transfer")
      if (wei / price < allowance) allowance = wei / price
    }
    const effect = this.simulate(params, to, data, block)
    const needed = intrinsicGas(data) + effect.gas
    if (needed > allowance) throw new NodeError(REFUSED, `gas required exceeds allowance (${allowance})`)
    if (!effect.isSuccess) throw reverted(effect.reason, effect.data)
    return quantity(needed)
  }

  private simulate(params: CallParams, to: Address, data: Hex, block: Block) {
    const price = feeOf(params)
    const { baseFeePerGas } = block
    const from = senderOf(params)
    if (price > 0n && price < baseFeePerGas) {
      const words = "max fee per gas less than block base fee"
      throw new NodeError(REFUSED, `${words}: address ${from}, maxFeePerGas: ${price}, baseFee: ${baseFeePerGas}`)
    }
    return this.chain.simulate({ from, to, data, withFee: price > 0n }, block)
  }

  private transaction(hash: Hex, view: View) {
    const receipt = this.chain.receipt(hash)
    if (receipt && receipt.block.number <= view.latest.number) return rpcTransaction(receipt.transaction, receipt)
    const waiting = receipt?.transaction ?? this.chain.waitingTransaction(hash)
    return waiting && rpcTransaction(waiting, null)
  }

  private logs(param: unknown, view: View) {
    const filter = readLogFilter(param)
    if (filter.blockHash !== undefined) {
      const block = this.chain.blockOfHash(filter.blockHash as Hex)
      if (!block || block.number > view.latest.number) throw new NodeError(REFUSED, "unknown block")
      return logsOf([block], filter, this.chain.token)
    }
    const from = this.numberOf(filter.fromBlock, view)
    const to = this.numberOf(filter.toBlock, view)
    if (from > to) throw new NodeError(REFUSED, "invalid block range params")
    if (to - from >= this.logRangeMax) {
      throw new NodeError(-32_614, `eth_getLogs is limited to a ${this.logRangeMax} block range`)
    }
    const blocks: Block[] = []
    for (let number = from; number <= to && number <= view.latest.number; number++) {
      const block = this.chain.block(number)
      if (block && block.receipts.length > 0) blocks.push(block)
    }
    return logsOf(blocks, filter, this.chain.token)
  }

  /** A range may name a block that this node does not have yet. */
  private numberOf(tag: unknown, view: View): number {
    const isNumber = typeof tag === "string" && tag.startsWith("0x")
    return isNumber ? Number(quantityParam(tag)) : ((this.blockOfTag(tag, view) as Block).number as number)
  }
}

/**
 * All queries to an EVM node. Each query is made once, with a time-out; the reconciler decides about retries. The errors of the
 * transport and of a node may quote the URL (which may hold a provider key) and the request (which may hold a payer's signature), so none of
 * them leaves this file, not even as a cause. Only the code of the system does, which names a failed connection.
 */
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isHex,
  prepareEncodeFunctionData,
  toHex,
} from "viem"
import { inBrackets, networkCode } from "../base/network-fault.ts"
import { ErrorAnswer, inBatches, postTo, type RpcHandler } from "./json-rpc.ts"
import type { Asset, Network, SafeTag } from "./networks/network.ts"
import { USDC_ABI } from "./usdc-contract.ts"

/** The node did not respond, or its response was not valid. This says nothing about the payment. */
export class RpcUnavailable extends Error {
  constructor(
    readonly node: string,
    readonly question: string,
    /** The code of the system, if the connection failed. */
    readonly code: string | null = null,
  ) {
    super(`${node} node did not answer ${question}${inBrackets(code)}`)
  }
}

/** The node executed a call and the call failed: it reverted or ran out of gas. */
export class CallFailed extends Error {
  constructor(readonly question: string) {
    super(`${question} failed in execution`)
  }
}

export interface Block {
  readonly number: bigint
  readonly hash: Hex
  /** Seconds since the epoch, on the chain's clock. */
  readonly timestamp: number
  readonly baseFeePerGas: bigint
}

export interface EvmCall {
  readonly to: Address
  readonly data: Hex
  readonly from?: Address
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}

/** One RPC endpoint. Methods throw RpcUnavailable; `call` and `estimateGas` also throw CallFailed. */
export interface EvmNode {
  readonly name: "primary" | "second"
  /** The tag of the block that `block("safe")` returns. */
  readonly safeTag: SafeTag
  /** For queries without a method here. `read` throws for a result of another form. */
  query<T>(read: (result: unknown) => T, method: string, ...params: readonly unknown[]): Promise<T>
  /** For queries whose errors decide something. `question` names the query in errors. */
  ask<T>(question: string, answer: (request: RpcHandler) => Promise<T>): Promise<T>
  block(which: "latest" | "safe" | "finalized" | bigint): Promise<Block>
  code(account: Address): Promise<Hex | null>
  /** Wei. */
  etherBalance(account: Address): Promise<bigint>
  /** The next free transaction nonce, including the node's pending pool. */
  nextNonce(account: Address): Promise<number>
  call(call: EvmCall, atBlockHash?: Hex): Promise<Hex>
  estimateGas(call: EvmCall): Promise<bigint>
}

export interface EvmChain {
  readonly network: Network
  readonly asset: Asset
  readonly primary: EvmNode
  readonly second: EvmNode | null
}

interface ChainConfig {
  readonly rpcUrl: string
  readonly secondRpcUrl?: string | null
  readonly network: Network
  /** For each query. */
  readonly timeoutMs: number
}

export function openChain({ network, rpcUrl, secondRpcUrl, timeoutMs }: ChainConfig): EvmChain {
  const open = (name: EvmNode["name"], url: string) =>
    nodeOver(name, inBatches(postTo(url, timeoutMs), setImmediate), network.safeTag)
  return {
    network,
    asset: network.asset,
    primary: open("primary", rpcUrl),
    second: secondRpcUrl ? open("second", secondRpcUrl) : null,
  }
}

/** The node that answers by a handler. The handler must end a query that gets no response, and must not retry. */
export function nodeOver(name: EvmNode["name"], request: RpcHandler, safeTag: SafeTag): EvmNode {
  async function ask<T>(question: string, answer: (request: RpcHandler) => Promise<T>): Promise<T> {
    try {
      return await answer(request)
    } catch (error) {
      if (isExecutionFailure(error)) throw new CallFailed(question)
      throw new RpcUnavailable(name, question, networkCode(error))
    }
  }

  const query = <T>(read: (result: unknown) => T, method: string, ...params: readonly unknown[]): Promise<T> =>
    ask(method, async () => read(await request({ method, params })))

  return {
    name,
    safeTag,
    query,
    ask,
    block: (which) =>
      query(
        readBlock,
        "eth_getBlockByNumber",
        typeof which === "bigint" ? toHex(which) : which === "safe" ? safeTag : which,
        false,
      ),
    // Invalid code must not turn a plain payer into a contract, because its signature would then go to the node.
    code: (address) =>
      query((code) => (readHex(code) === "0x" ? null : (code as Hex)), "eth_getCode", address, "latest"),
    etherBalance: (address) => query(readQuantity, "eth_getBalance", address, "latest"),
    nextNonce: (address) => query(readNumber, "eth_getTransactionCount", address, "pending"),
    call: (call, atBlockHash) =>
      query(readHex, "eth_call", rpcCall(call), atBlockHash ? { blockHash: atBlockHash } : "latest"),
    estimateGas: (call) => query(readQuantity, "eth_estimateGas", rpcCall(call)),
  }
}

function rpcCall({ gas, maxFeePerGas, maxPriorityFeePerGas, ...call }: EvmCall) {
  return {
    ...call,
    ...(gas !== undefined && { gas: toHex(gas) }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: toHex(maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: toHex(maxPriorityFeePerGas) }),
  }
}

function readBlock(block: unknown): Block {
  const { number, hash, timestamp, baseFeePerGas } = block as Readonly<Record<string, unknown>>
  return {
    number: readQuantity(number),
    hash: readHex(hash),
    timestamp: readNumber(timestamp),
    baseFeePerGas: readQuantity(baseFeePerGas),
  }
}

export const readQuantity = (value: unknown): bigint => BigInt(readHex(value))

export const readNumber = (value: unknown): number => Number(readQuantity(value))

export function readHex(value: unknown): Hex {
  if (!isHex(value)) throw new TypeError("not hex")
  return value
}

/** Geth's error 3, and the messages of nodes for a call that ran and failed. Rate limits and outages do not match. */
const EXECUTION_MESSAGE =
  /revert|out ?of ?gas|gas required exceeds|invalid opcode|stack (under|over)flow|intrinsic gas/i

function isExecutionFailure(error: unknown): boolean {
  return error instanceof ErrorAnswer && (error.code === 3 || EXECUTION_MESSAGE.test(error.message))
}

/** Prepared once, because the ABI look-up and the hash of the name take longer than encoding a call. */
const VIEWS = {
  authorizationState: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "authorizationState" }),
  balanceOf: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "balanceOf" }),
  paused: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "paused" }),
  isBlacklisted: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "isBlacklisted" }),
  DOMAIN_SEPARATOR: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "DOMAIN_SEPARATOR" }),
} as const
type View = keyof typeof VIEWS

/** The state of the chain that a node shows: at its head for a node, at one block for {@link atBlock}. */
interface ShownState extends Pick<EvmNode, "name"> {
  call(call: EvmCall): Promise<Hex>
}

export function atBlock(node: EvmNode, blockHash: Hex): ShownState {
  return { name: node.name, call: (call) => node.call(call, blockHash) }
}

/**
 * An answer that is judged after others of its turn. Questions of one turn travel together, so those that a later step needs are asked with
 * those of an earlier one. The answer may never be awaited; if it is, its failure is thrown there.
 */
export function judgedLater<Answer>(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => undefined)
  return answer
}

/** Reads the asset's state. A result that does not decode counts as unavailable. */
export async function readAsset<Name extends View & ContractFunctionName<typeof USDC_ABI, "view">>(
  shown: ShownState,
  asset: Asset,
  functionName: Name,
  args: ContractFunctionArgs<typeof USDC_ABI, "view", Name>,
) {
  const data = encodeFunctionData({ ...VIEWS[functionName], args } as Parameters<typeof encodeFunctionData>[0])
  try {
    const answer = await shown.call({ to: asset.address, data })
    return decodeFunctionResult({ abi: VIEWS[functionName].abi, data: answer }) as Name extends "balanceOf"
      ? bigint
      : Name extends "DOMAIN_SEPARATOR"
        ? Hex
        : boolean
  } catch (error) {
    // USDC's views neither revert nor return other types, so a revert or an invalid result is a fault of the node.
    throw new RpcUnavailable(shown.name, functionName, error instanceof RpcUnavailable ? error.code : null)
  }
}

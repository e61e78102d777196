/**
 * Everything that asks an EVM node. One question, one attempt, one timeout: repeating is the reconciler's decision.
 * viem's errors quote the URL (which may hold a provider key) and the request (which may hold a payer's signature), so
 * none of them leaves this file, not even as a cause.
 */
import {
  type Address,
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createPublicClient,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  http,
  isHex,
  type PublicClient,
  prepareEncodeFunctionData,
  RpcRequestError,
  type Transport,
} from "viem"
import { VERIFIED_TLS } from "../verified-tls.ts"
import type { Asset } from "./usdc.ts"
import { USDC_ABI } from "./usdc-contract.ts"

/** The node did not answer, or answered something that is not an answer. Says nothing about the payment. */
export class RpcUnavailable extends Error {
  constructor(
    readonly node: string,
    readonly question: string,
  ) {
    super(`${node} node did not answer ${question}`)
  }
}

/** The node executed a call and it failed: reverted, or ran out of the gas it was given. */
export class CallFailed extends Error {
  constructor(readonly question: string) {
    super(`${question} failed in execution`)
  }
}

export interface Block {
  readonly number: bigint
  readonly hash: Hex
  /** Seconds since the epoch, the chain's clock. */
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

/** One RPC endpoint. Methods throw RpcUnavailable, and `call` and `estimateGas` also CallFailed. */
export interface EvmNode {
  readonly name: "primary" | "second"
  /** For questions without a method here; `question` names it in errors. */
  ask<T>(question: string, answer: (client: PublicClient) => Promise<T>): Promise<T>
  block(which: "latest" | "safe" | "finalized" | bigint): Promise<Block>
  code(account: Address): Promise<Hex | null>
  /** Wei. */
  etherBalance(account: Address): Promise<bigint>
  /** The next free transaction nonce, counting the node's own pending pool. */
  nextNonce(account: Address): Promise<number>
  call(call: EvmCall, atBlockHash?: Hex): Promise<Hex>
  estimateGas(call: EvmCall): Promise<bigint>
}

export interface EvmChain {
  readonly asset: Asset
  readonly primary: EvmNode
  readonly second: EvmNode | null
}

export interface ChainConfig {
  readonly rpcUrl: string
  readonly secondRpcUrl?: string
  readonly asset: Asset
  /** For each single question. */
  readonly timeoutMs: number
}

export function openChain(config: ChainConfig): EvmChain {
  return {
    asset: config.asset,
    primary: openNode("primary", config.rpcUrl, config.timeoutMs),
    second: config.secondRpcUrl ? openNode("second", config.secondRpcUrl, config.timeoutMs) : null,
  }
}

function openNode(name: EvmNode["name"], url: string, timeoutMs: number): EvmNode {
  const fetchOptions = { redirect: "error", tls: VERIFIED_TLS } as const
  return nodeOver(name, http(url, { retryCount: 0, timeout: timeoutMs, fetchOptions }))
}

/** The node behind a transport, which gives up by itself on a node that does not answer and never asks twice. */
export function nodeOver(name: EvmNode["name"], transport: Transport): EvmNode {
  // ccipRead off: else a hostile wallet's revert (ERC-3668 OffchainLookup) makes viem fetch a URL of the wallet's choosing.
  const client = createPublicClient({ transport, ccipRead: false, cacheTime: 0 }) as PublicClient

  async function ask<T>(question: string, answer: (client: PublicClient) => Promise<T>): Promise<T> {
    try {
      return await answer(client)
    } catch (error) {
      if (isExecutionFailure(error)) throw new CallFailed(question)
      throw new RpcUnavailable(name, question)
    }
  }

  return {
    name,
    ask,
    block: (which) =>
      ask("eth_getBlockByNumber", async () => {
        const selector = typeof which === "bigint" ? { blockNumber: which } : { blockTag: which }
        const { number, hash, timestamp, baseFeePerGas } = await client.getBlock(selector)
        if (number === null || hash === null || baseFeePerGas === null) throw new TypeError("incomplete block")
        return { number, hash, timestamp: Number(timestamp), baseFeePerGas }
      }),
    code: (address) =>
      ask("eth_getCode", async () => {
        const code = (await client.getCode({ address })) ?? null
        // Garbage must not make a plain payer a contract: its signature would then go to the node.
        if (code !== null && !isHex(code)) throw new TypeError("code is not hex")
        return code
      }),
    etherBalance: (address) => ask("eth_getBalance", () => client.getBalance({ address })),
    nextNonce: (address) =>
      ask("eth_getTransactionCount", () => client.getTransactionCount({ address, blockTag: "pending" })),
    call: ({ from, ...call }, atBlockHash) =>
      ask("eth_call", async () => {
        const at = atBlockHash ? { blockHash: atBlockHash } : {}
        const { data } = await client.call({ ...call, ...(from && { account: from }), ...at })
        return data ?? "0x"
      }),
    estimateGas: ({ from, ...call }) =>
      ask("eth_estimateGas", () => client.estimateGas({ ...call, ...(from && { account: from }) })),
  }
}

/** Geth's error 3, and the messages nodes use for a call that ran and failed. Rate limits and outages are none of these. */
const EXECUTION_MESSAGE =
  /revert|out ?of ?gas|gas required exceeds|invalid opcode|stack (under|over)flow|intrinsic gas/i

function isExecutionFailure(error: unknown): boolean {
  const answer = rpcError(error)
  return answer !== null && (answer.code === 3 || EXECUTION_MESSAGE.test(answer.message))
}

/** The JSON-RPC error a node answered with, or null when there was no such answer. */
export function rpcError(error: unknown): { code: number; message: string } | null {
  const found = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null
  return found instanceof RpcRequestError ? { code: found.code, message: found.details } : null
}

/** Prepared once: finding a function in the ABI and hashing its name takes longer than encoding a call. */
const VIEWS = {
  authorizationState: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "authorizationState" }),
  balanceOf: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "balanceOf" }),
  paused: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "paused" }),
  isBlacklisted: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "isBlacklisted" }),
  DOMAIN_SEPARATOR: prepareEncodeFunctionData({ abi: USDC_ABI, functionName: "DOMAIN_SEPARATOR" }),
} as const
type View = keyof typeof VIEWS

/** Reads the asset's state, at a block's hash or at the head. An answer that does not decode is no answer. */
export async function readAsset<Name extends View & ContractFunctionName<typeof USDC_ABI, "view">>(
  node: EvmNode,
  asset: Asset,
  functionName: Name,
  args: ContractFunctionArgs<typeof USDC_ABI, "view", Name>,
  atBlockHash?: Hex,
) {
  const data = encodeFunctionData({ ...VIEWS[functionName], args } as Parameters<typeof encodeFunctionData>[0])
  try {
    const answer = await node.call({ to: asset.address, data }, atBlockHash)
    return decodeFunctionResult({ abi: VIEWS[functionName].abi, data: answer }) as Name extends "balanceOf"
      ? bigint
      : Name extends "DOMAIN_SEPARATOR"
        ? Hex
        : boolean
  } catch {
    // A view of USDC neither reverts nor answers other types: a revert or garbage here is the node's fault as well.
    throw new RpcUnavailable(node.name, functionName)
  }
}

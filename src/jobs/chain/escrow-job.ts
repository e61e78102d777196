/** Reads a job and the state of the escrow contract from one node. */
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, toHex } from "viem"
import { CallFailed, type EvmNode, RpcUnavailable, readHex } from "../../payments/rpc.ts"
import { ESCROW_ABI, IMPLEMENTATION_SLOT } from "./escrow-abi.ts"

type EscrowStatus = "OPEN" | "FUNDED" | "SUBMITTED" | "COMPLETED" | "REJECTED" | "EXPIRED"

/** A job as the contract has it. Addresses in lower case. */
export interface EscrowJob {
  readonly client: string
  readonly provider: string
  readonly evaluator: string
  readonly hook: string
  readonly status: EscrowStatus
  /** Seconds since the epoch. */
  readonly expiredAt: number
  readonly budget: bigint
  readonly description: string
}

/** In the order of the contract's numbers. */
const STATUSES: readonly EscrowStatus[] = ["OPEN", "FUNDED", "SUBMITTED", "COMPLETED", "REJECTED", "EXPIRED"]
const NOBODY = `0x${"0".repeat(40)}`

/** `at`: a block hash, or the head. Null when there is no such job, or no contract yet. Throws RpcUnavailable. */
export async function readJob(
  node: EvmNode,
  contract: string,
  jobId: string,
  at: Hex | "latest",
): Promise<EscrowJob | null> {
  const data = encodeFunctionData({ abi: ESCROW_ABI, functionName: "getJob", args: [BigInt(jobId)] })
  const answer = await view(node, { name: "getJob", to: contract, data, at })
  if (answer === "0x") return null
  const job = decoded(node, "getJob", () =>
    decodeFunctionResult({ abi: ESCROW_ABI, functionName: "getJob", data: answer }),
  )
  const status = STATUSES[job.status]
  if (status === undefined) throw new RpcUnavailable(node.name, "getJob")
  const { client, provider, evaluator, hook, expiredAt, budget, description } = job
  // The contract answers an unknown number with zeros.
  if (client === NOBODY) return null
  return {
    client: client.toLowerCase(),
    provider: provider.toLowerCase(),
    evaluator: evaluator.toLowerCase(),
    hook: hook.toLowerCase(),
    status,
    expiredAt,
    budget,
    description,
  }
}

type Setting = "paymentToken" | "paused" | "platformFeeBP" | "evaluatorFeeBP"
type SettingValue<Name extends Setting> = Name extends "paymentToken"
  ? Address
  : Name extends "paused"
    ? boolean
    : bigint

/** Null when no contract answers there. Throws RpcUnavailable. */
export async function readSetting<Name extends Setting>(
  node: EvmNode,
  contract: string,
  functionName: Name,
  at: Hex | "latest",
): Promise<SettingValue<Name> | null> {
  const data = encodeFunctionData({ abi: ESCROW_ABI, functionName: functionName as Setting })
  const answer = await view(node, { name: functionName, to: contract, data, at })
  if (answer === "0x") return null
  return decoded(
    node,
    functionName,
    () =>
      decodeFunctionResult({
        abi: ESCROW_ABI,
        functionName: functionName as Setting,
        data: answer,
      }) as SettingValue<Name>,
  )
}

/** Address of the code behind the proxy, in lower case; null if the contract is no EIP-1967 proxy. Throws RpcUnavailable. */
export async function readImplementation(node: EvmNode, contract: string, block: bigint): Promise<string | null> {
  const readWord = (result: unknown) => {
    const word = readHex(result)
    if (!/^0x[0-9a-fA-F]{64}$/.test(word)) throw new TypeError("not a storage word")
    return word.toLowerCase()
  }
  const slot = await node.query(readWord, "eth_getStorageAt", contract, IMPLEMENTATION_SLOT, toHex(block))
  const implementation = `0x${slot.slice(26)}`
  return implementation === NOBODY ? null : implementation
}

interface ViewCall {
  /** Names the call in errors. */
  readonly name: string
  readonly to: string
  readonly data: Hex
  readonly at: Hex | "latest"
}

/** A view neither reverts nor runs out of gas, so a failed one is a fault of the node. */
async function view(node: EvmNode, { name, to, data, at }: ViewCall): Promise<Hex> {
  try {
    return await node.call({ to: to as Address, data }, at === "latest" ? undefined : at)
  } catch (error) {
    if (error instanceof CallFailed) throw new RpcUnavailable(node.name, name)
    throw error
  }
}

function decoded<T>(node: EvmNode, name: string, decode: () => T): T {
  try {
    return decode()
  } catch {
    throw new RpcUnavailable(node.name, name)
  }
}

/** Multicall3's `aggregate`: one transaction makes several calls, all or none. Anyone can submit authorizations with it. */

import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from "viem"
import type { Contract, Effect, Event, Surroundings } from "../../../../src/sandbox/chain/contract.ts"
import { readUsdcCall } from "../../../../src/sandbox/chain/usdc-call.ts"
import { runUsdc } from "../../../../src/sandbox/chain/usdc-contract.ts"

export const BATCH_ADDRESS: Address = "0xca11bde05977b3631167028862be2a173976ca11"

const BATCH_ABI = parseAbi([
  "function aggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes[] returnData)",
])

interface InnerCall {
  readonly target: Address
  readonly callData: Hex
}

/** Calldata for `BATCH_ADDRESS`. */
export function batchCall(calls: readonly InnerCall[]): Hex {
  return encodeFunctionData({ abi: BATCH_ABI, functionName: "aggregate", args: [calls] })
}

/** Null when the calldata is not a batch; then the contract reverts. */
function readBatch(data: Hex): readonly InnerCall[] | null {
  try {
    return decodeFunctionData({ abi: BATCH_ABI, data }).args[0]
  } catch {
    // viem throws different errors for wrong calldata; each of them makes the call revert.
    return null
  }
}

/** The contract as a part of a model chain. A call to another target than USDC does nothing. */
export const BATCH: ReadonlyMap<Address, Contract> = new Map([
  [BATCH_ADDRESS, { code: "0x63ba11", run: (data, _, around) => runBatch(readBatch(data), around) }],
])

function runBatch(calls: readonly InnerCall[] | null, around: Surroundings): Effect {
  if (!calls) return { isSuccess: false, gas: 1_000n, reason: null }
  let gas = 0n
  const events: Event[] = []
  for (const { target, callData } of calls) {
    if (target.toLowerCase() !== around.token) continue
    const effect = runUsdc(readUsdcCall(callData), BATCH_ADDRESS, around)
    gas += effect.gas
    if (!effect.isSuccess) return { isSuccess: false, gas, reason: "Multicall3: call failed" }
    events.push(...effect.events)
  }
  return { isSuccess: true, gas, events, output: "0x" }
}

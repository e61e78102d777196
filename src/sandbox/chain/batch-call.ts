/** Multicall3's `aggregate`: one transaction makes several calls, all or none. Anyone can submit authorizations with it. */
import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from "viem"

export const BATCH_ADDRESS: Address = "0xca11bde05977b3631167028862be2a173976ca11"
/** Marks the account as a contract. The model does not execute it. */
export const BATCH_CODE: Hex = "0x63ba11"

const BATCH_ABI = parseAbi([
  "function aggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes[] returnData)",
])

export interface InnerCall {
  readonly target: Address
  readonly callData: Hex
}

/** Calldata for `BATCH_ADDRESS`. */
export function batchCall(calls: readonly InnerCall[]): Hex {
  return encodeFunctionData({ abi: BATCH_ABI, functionName: "aggregate", args: [calls] })
}

/** Null when the calldata is not a batch; then the contract reverts. */
export function readBatch(data: Hex): readonly InnerCall[] | null {
  try {
    return decodeFunctionData({ abi: BATCH_ABI, data }).args[0]
  } catch {
    // viem throws different errors for wrong calldata; each of them makes the call revert.
    return null
  }
}

/** Parses the parameters of JSON-RPC queries. Throws NodeError for parameters that a node would reject. */
import type { Address, Hex } from "viem"
import { INVALID_PARAMS, NodeError, REFUSED } from "./node-error.ts"

/** The call object of eth_call and eth_estimateGas. */
export interface CallParams {
  readonly from?: Address
  readonly to?: Address
  readonly data?: Hex
  readonly input?: Hex
  readonly gas?: Hex
  readonly gasPrice?: Hex
  readonly maxFeePerGas?: Hex
  readonly value?: Hex
}

export function callParam([call]: readonly unknown[]): CallParams {
  if (typeof call === "object" && call !== null) return call
  throw new NodeError(INVALID_PARAMS, "invalid argument 0: a call is an object")
}

/** Wei per gas that the call pays; 0 when it names no price. */
export const feeOf = ({ maxFeePerGas, gasPrice }: CallParams) => BigInt(maxFeePerGas ?? gasPrice ?? "0x0")

const NOBODY: Address = "0x0000000000000000000000000000000000000000"
export const senderOf = ({ from = NOBODY }: CallParams) => from.toLowerCase() as Address

export function targetOf({ to }: CallParams): Address {
  if (!to) throw new NodeError(REFUSED, "this chain does not create contracts")
  return to.toLowerCase() as Address
}

export function hexParam(params: readonly unknown[], index: number): Hex {
  const value = params[index]
  if (typeof value === "string" && /^0x([0-9a-fA-F]{2})*$/.test(value)) return value.toLowerCase() as Hex
  throw new NodeError(INVALID_PARAMS, `invalid argument ${index}: it must be 0x and pairs of hex digits`)
}

export function addressParam(params: readonly unknown[], index: number): Address {
  const value = hexParam(params, index)
  if (value.length === 42) return value
  throw new NodeError(INVALID_PARAMS, `invalid argument ${index}: an address has 20 bytes`)
}

export function quantityParam(value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new NodeError(INVALID_PARAMS, "invalid argument: a block is a tag or a hex number")
}

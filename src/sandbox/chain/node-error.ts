import { encodeErrorResult, type Hex, parseAbi } from "viem"
import { ErrorAnswer } from "../../payments/json-rpc.ts"

/** A JSON-RPC error of a node. `data`: what a reverted call returned. */
export class NodeError extends ErrorAnswer {
  constructor(
    code: number,
    message: string,
    readonly data?: Hex,
  ) {
    super(code, message)
  }
}

/** Geth's code for a request that it understood and rejected. */
export const REFUSED = -32_000
export const METHOD_NOT_FOUND = -32_601
export const INVALID_PARAMS = -32_602

const SOLIDITY_ERROR = parseAbi(["error Error(string)"])

/** The error of a reverted call. Geth uses code 3 when the contract returned data, and its general code otherwise. */
export function reverted(reason: string | null, data?: Hex): NodeError {
  if (reason === null && data !== undefined) return new NodeError(3, "execution reverted", data)
  if (reason === null) return new NodeError(REFUSED, "execution reverted")
  const text = encodeErrorResult({ abi: SOLIDITY_ERROR, errorName: "Error", args: [reason] })
  return new NodeError(3, `execution reverted: ${reason}`, text)
}

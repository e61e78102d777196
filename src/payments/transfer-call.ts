import { encodeFunctionData, type Hex, hexToNumber, size, slice } from "viem"
import type { Authorization } from "./authorization.ts"
import { ECDSA_SIGNATURE_BYTES } from "./plain-signature.ts"
import { USDC_ABI } from "./usdc-contract.ts"

/**
 * Calldata of the transfer. A signature of 65 bytes uses the (v, r, s) overload, any other length the `bytes` overload, as in the official
 * verifier's simulation. USDC routes both by the payer's code, so the outcome is the same. The bytes are split, not parsed, because a smart
 * wallet may use its own 65-byte format, which must arrive unchanged.
 */
export function transferCall(authorization: Authorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  const terms = [from, to, value, BigInt(validAfter), BigInt(validBefore), nonce] as const
  const split =
    size(signature) === ECDSA_SIGNATURE_BYTES
      ? ([hexToNumber(slice(signature, 64)), slice(signature, 0, 32), slice(signature, 32, 64)] as const)
      : ([signature] as const)
  return encodeFunctionData({
    abi: USDC_ABI,
    functionName: "transferWithAuthorization",
    args: split.length === 3 ? [...terms, ...split] : [...terms, ...split],
  })
}

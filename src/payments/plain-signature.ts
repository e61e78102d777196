import { concat, type Hex, hexToNumber, numberToHex, size, slice } from "viem"

/** An ECDSA signature: r, s and one byte v. */
export const ECDSA_SIGNATURE_BYTES = 65
/** EIP-2098: r, then s with the parity of v as its highest bit. */
const COMPACT_SIGNATURE_BYTES = 64
/** Half the curve order. USDC rejects a signature with a higher s, although every signature has such a twin. */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const PARITY_BIT = 1n << 255n

/**
 * An ECDSA signature in the only form that USDC's ECRecover accepts: 65 bytes, v 27 or 28, low s. Also reads v 0 or 1, and the 64 bytes of
 * EIP-2098. Null for any other signature. Only for a payer without code: a smart wallet may give the same bytes another meaning.
 */
export function plainSignature(signature: Hex): Hex | null {
  const parts = size(signature) === COMPACT_SIGNATURE_BYTES ? compactParts(signature) : wholeParts(signature)
  if (parts === null || parts.s > S_MAX) return null
  const { s, v } = parts
  return concat([slice(signature, 0, 32), numberToHex(s, { size: 32 }), numberToHex(v, { size: 1 })])
}

interface Parts {
  readonly s: bigint
  readonly v: number
}

function compactParts(signature: Hex): Parts {
  const word = BigInt(slice(signature, 32))
  return word >= PARITY_BIT ? { s: word - PARITY_BIT, v: 28 } : { s: word, v: 27 }
}

function wholeParts(signature: Hex): Parts | null {
  if (size(signature) !== ECDSA_SIGNATURE_BYTES) return null
  const v = hexToNumber(slice(signature, 64))
  const parity = v < 27 ? v : v - 27
  return parity === 0 || parity === 1 ? { s: BigInt(slice(signature, 32, 64)), v: 27 + parity } : null
}

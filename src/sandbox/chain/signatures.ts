/**
 * Finds the signer of an authorization. To recover a signer takes about a millisecond. So the caller can register its own signatures, and
 * all other results are cached.
 */
import { secp256k1 } from "@noble/curves/secp256k1"
import { type Address, concat, type Hex, keccak256, stringToHex } from "viem"
import { Cache } from "../../core/cache.ts"
import type { Asset } from "../../payments/networks/network.ts"
import { domainSeparatorOf } from "../../payments/usdc-contract.ts"
import { authorizationKey } from "./ledger.ts"
import type { CancelCall, TransferCall } from "./usdc-call.ts"

/** What a payer signed, with the signature. `Authorization` of the payments layer has this form. */
export interface SignedTransfer {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: number
  readonly validBefore: number
  readonly nonce: Hex
  readonly signature: Hex
}

/** Limit of cached signers. */
const REMEMBERED_MAX = 20_000

const typeHash = (type: string) => keccak256(stringToHex(type)).slice(2)
const TRANSFER_TYPE = typeHash(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
)
const CANCEL_TYPE = typeHash("CancelAuthorization(address authorizer,bytes32 nonce)")

export class Signatures {
  readonly domainSeparator: Hex
  private readonly registered = new Map<string, SignedTransfer & { readonly signer: Address }>()
  private readonly recovered = new Cache<string, Address | null>({ max: REMEMBERED_MAX })

  constructor(asset: Asset) {
    this.domainSeparator = domainSeparatorOf(asset)
  }

  /**
   * Registers a signature without a check. The caller guarantees that `signer` (by default the payer) made it over exactly these members.
   * Any other combination is recovered.
   */
  register(signed: SignedTransfer, signer: Address = signed.from): void {
    const [from, to, nonce] = [lower(signed.from), lower(signed.to), lower(signed.nonce)]
    const exact = { ...signed, from, to, nonce, signature: lower(signed.signature), signer: lower(signer) }
    this.registered.set(authorizationKey(from, nonce), exact)
  }

  /** The signer of this transfer, or null. */
  signerOfTransfer(call: TransferCall): Address | null {
    const known = this.registered.get(authorizationKey(call.from, call.nonce))
    const isExact =
      known?.signature === call.signature &&
      known.to === call.to &&
      known.value === call.value &&
      BigInt(known.validAfter) === call.validAfter &&
      BigInt(known.validBefore) === call.validBefore
    return isExact ? known.signer : this.signerOf(this.transferDigest(call), call.signature)
  }

  /**
   * The signer of the digest. `signature` has 65 bytes, or a tag byte 0x01 and 65 bytes. Null for any other form, and when there is no
   * signer.
   */
  signerOf(digest: Hex, signature: Hex): Address | null {
    const plain = signature.length === 134 && signature.startsWith("0x01") ? signature.slice(4) : signature.slice(2)
    if (plain.length !== 130) return null
    const key = `${digest}${plain}`
    const known = this.recovered.get(key)
    if (known !== undefined) return known
    const signer = recoverSigner(digest, plain.slice(0, 128), Number.parseInt(plain.slice(128), 16) - 27)
    this.recovered.set(key, signer)
    return signer
  }

  transferDigest({ from, to, value, validAfter, validBefore, nonce }: Omit<TransferCall, "signature">): Hex {
    const members = [addressWord(from), addressWord(to), ...[value, validAfter, validBefore].map(word), nonce.slice(2)]
    return this.digest(TRANSFER_TYPE, members)
  }

  cancelDigest({ from, nonce }: Pick<CancelCall, "from" | "nonce">): Hex {
    return this.digest(CANCEL_TYPE, [addressWord(from), nonce.slice(2)])
  }

  private digest(type: string, members: readonly string[]): Hex {
    const struct = keccak256(`0x${type}${members.join("")}`)
    return keccak256(concat(["0x1901", this.domainSeparator, struct]))
  }
}

const lower = (hex: Hex) => hex.toLowerCase() as Hex
const addressWord = (address: Address) => address.slice(2).padStart(64, "0")
const word = (value: bigint) => value.toString(16).padStart(64, "0")

/** The EVM's ecrecover: the lower-case address, or null. `compact`: r and s in hex. `recovery`: 0 or 1. */
export function recoverSigner(digest: Hex, compact: string, recovery: number): Address | null {
  if (recovery !== 0 && recovery !== 1) return null
  try {
    const signature = secp256k1.Signature.fromCompact(compact).addRecoveryBit(recovery)
    const publicKey = signature.recoverPublicKey(digest.slice(2)).toRawBytes(false)
    return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`
  } catch {
    // The library throws for r or s out of range and for a point off the curve; ecrecover returns nothing there.
    return null
  }
}

/**
 * secp256k1 without its arithmetic, which would take a tenth of a run. A signature is a hash of key and message in the range of the curve,
 * and its signer is the known key that makes the same hash. The real arithmetic recovers a signature that was not made here. The code
 * under test never looks into a signature.
 */
import { hash } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1"

type Signature = ReturnType<typeof secp256k1.sign>
type Point = ReturnType<InstanceType<typeof secp256k1.Signature>["recoverPublicKey"]>

interface Known {
  readonly key: string
  readonly point: Point
}

/** `message` and `key` in hex without a prefix. Both numbers are below half of the curve's order and not 0. */
function made(key: string, message: string): { r: bigint; s: bigint; recovery: number } {
  const digest = hash("sha512", `${key} ${message}`, "hex")
  const part = (from: number) => BigInt(`0x${digest.slice(from, from + 62)}`) + 1n
  return { r: part(0), s: part(62), recovery: Number.parseInt(digest.slice(-1), 16) & 1 }
}

/** Replaces signing and recovering for this operating-system process. A second call does nothing. */
export function useCheapCurve(): void {
  if (isCheap) return
  isCheap = true
  const known: Known[] = []
  const { sign } = secp256k1
  const prototype = secp256k1.Signature.prototype
  const recover = prototype.recoverPublicKey
  secp256k1.sign = (message, key, ...rest): Signature => {
    if (typeof message !== "string" || typeof key !== "string") return sign(message, key, ...rest)
    if (!known.some((one) => one.key === key)) {
      known.push({ key, point: secp256k1.ProjectivePoint.fromPrivateKey(key) as Point })
    }
    const { r, s, recovery } = made(key, message)
    return new secp256k1.Signature(r, s).addRecoveryBit(recovery) as Signature
  }
  prototype.recoverPublicKey = function (this: Signature, message: Parameters<typeof recover>[0]): Point {
    const text = typeof message === "string" ? message : Buffer.from(message as Uint8Array).toString("hex")
    for (const { key, point } of known) {
      const { r, s, recovery } = made(key, text)
      if (r === this.r && s === this.s && recovery === this.recovery) return point
    }
    return recover.call(this, message)
  }
}

let isCheap = false

/**
 * Remembers what the curve computed: signing is deterministic (RFC 6979) and recovering a signer is a function of its input, so a replay
 * and the worlds that share a pool of authorizations need each only once.
 */
import { secp256k1 } from "@noble/curves/secp256k1"

const REMEMBERED_MAX = 200_000

export function rememberCurve(): void {
  const recovered = new Map<string, unknown>()
  const prototype = secp256k1.Signature.prototype
  const recover = prototype.recoverPublicKey
  prototype.recoverPublicKey = function (
    this: InstanceType<typeof secp256k1.Signature>,
    message: Parameters<typeof recover>[0],
  ) {
    const text = typeof message === "string" ? message : Buffer.from(message as Uint8Array).toString("hex")
    const name = `${this.r}:${this.s}:${this.recovery}:${text}`
    const known = recovered.get(name)
    if (known !== undefined) return known as ReturnType<typeof recover>
    const point = recover.call(this, message)
    if (recovered.size < REMEMBERED_MAX) recovered.set(name, point)
    return point
  }
}

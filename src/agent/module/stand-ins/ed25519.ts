/** In the client module in place of `core/ed25519.ts`: the same without `node:crypto`. */
import { encodeBase64url } from "../../../core/bytes.ts"
import { publicKeyOf, signBytes } from "../portable-signing.ts"

/** The 32-byte seed. */
type PrivateKey = Uint8Array

const utf8 = new TextEncoder()

export function signWith(privateKey: PrivateKey, message: Uint8Array | string): string {
  return encodeBase64url(signBytes(privateKey, typeof message === "string" ? utf8.encode(message) : message))
}

export function keyFromSeed(seed: Uint8Array): { privateKey: PrivateKey; x: string } {
  if (seed.length !== 32) throw new TypeError("an Ed25519 seed has 32 bytes")
  return { privateKey: seed, x: encodeBase64url(publicKeyOf(seed)) }
}

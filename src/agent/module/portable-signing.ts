/** Ed25519 signatures (RFC 8032) in plain JavaScript, because not every engine signs with Ed25519. */
import { getPublicKey, hashes, sign } from "@noble/ed25519"
import { sha512 } from "@noble/hashes/sha2.js"

hashes.sha512 = sha512

/** `seed` has 32 bytes. */
export function signBytes(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return sign(message, seed)
}

/** Returns the 32 bytes of the public key. */
export function publicKeyOf(seed: Uint8Array): Uint8Array {
  return getPublicKey(seed)
}

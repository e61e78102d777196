/** The keys of an agent in memory: made here, and never sent. */
import { CommandError, EXIT } from "../base/exit.ts"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { keyFromSeed, type PrivateKey } from "../core/ed25519.ts"
import { keyIdOf } from "../core/jwk.ts"
import type { KeyFile, PrivateJwk } from "./forms/key-file.ts"

export interface SigningKey {
  readonly keyId: string
  readonly x: string
  readonly privateKey: PrivateKey
}

/** Returns random bytes; each seed is an independent draw. */
export type Random = (byteLength: number) => Uint8Array

export function generateKey(random: Random): PrivateJwk {
  const seed = random(32)
  return { kty: "OKP", crv: "Ed25519", x: keyFromSeed(seed).x, d: encodeBase64url(seed) }
}

export function generateKeyFile(random: Random): KeyFile {
  return { operational: generateKey(random), recovery: generateKey(random), next: generateKey(random) }
}

/** Imports a private JWK. Throws CommandError (3) if `x` is not the public half of `d`. */
export function signingKey(jwk: PrivateJwk): SigningKey {
  const seed = decodeBase64url(jwk.d, 32)
  const key = seed ? keyFromSeed(seed) : null
  if (key?.x !== jwk.x) throw new CommandError(EXIT.INVALID, "a key in the key file is damaged: x does not belong to d")
  return { keyId: keyIdOf(key.x), x: key.x, privateKey: key.privateKey }
}

/** The keys of the published vectors. Anyone can make them, so they prove nothing. */
import { hash } from "node:crypto"
import { keyFromSeed, type PrivateKey } from "../../core/ed25519.ts"
import type { FormSigner } from "../../core/forms/signed-form-rules.ts"
import { keyIdOf, publicJwk } from "../../core/jwk.ts"
import type { Signer } from "../../core/signer.ts"

type TestKeyName = FormSigner | "NEXT_OPERATIONAL_KEY"

interface TestKey {
  readonly name: TestKeyName
  readonly seedText: string
  readonly x: string
  readonly keyId: string
  readonly privateKey: PrivateKey
}

export function testKey(name: TestKeyName): TestKey {
  const seedText = `svc signed forms test key ${name}`
  const { privateKey, x } = keyFromSeed(hash("sha256", seedText, "buffer"))
  return { name, seedText, x, keyId: keyIdOf(x), privateKey }
}

export function signerOf(key: TestKey, issuer: string): Signer {
  return { issuer, keyId: key.keyId, privateKey: key.privateKey }
}

export function describedKey(key: TestKey, issuer: string) {
  return { seed_text: key.seedText, issuer, key_id: key.keyId, public_jwk: publicJwk(key.x) }
}

/** The keys of the published vectors. Anyone can make them, so they prove nothing. */
import { hash } from "node:crypto"
import { atFirstUse } from "../at-first-use.ts"
import { keyFromSeed, type PrivateKey } from "../ed25519.ts"
import { keyIdOf, publicJwk } from "../jwk.ts"
import type { Signer } from "../signer.ts"
import type { FormSigner } from "./signed-form-rules.ts"

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

const NAMES: Readonly<Record<TestKeyName, true>> = {
  AGENT_OPERATIONAL_KEY: true,
  AGENT_RECOVERY_KEY: true,
  NEXT_OPERATIONAL_KEY: true,
  ORGANIZATION_MANDATE_KEY: true,
  SERVICE_STATEMENT_KEY: true,
  SERVICE_SANDBOX_KEY: true,
  LIST_KEY: true,
  REVIEWER_PASSKEY: true,
}
const published = atFirstUse(() => new Set((Object.keys(NAMES) as TestKeyName[]).map((name) => testKey(name).x)))

/** `x` of a public key. */
export function isTestKey(x: string): boolean {
  return published().has(x)
}

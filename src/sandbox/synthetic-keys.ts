/**
 * Keys of the sandbox: of its actors and of its own service. Anyone can make them, so a signature by one proves nothing, and the same seed
 * gives the same signatures on every machine.
 */
import { createHmac } from "node:crypto"
import { keyFromSeed } from "../core/ed25519.ts"
import { keyIdOf } from "../core/jwk.ts"
import type { HeldKey } from "../keys/key-file.ts"

const DOMAIN = "SVC-SANDBOX-KEY-1"

/** 32 bytes. `role` names who holds the key; `index` counts the keys of a role. */
export function syntheticSeed(seed: number, role: string, index = 0): Uint8Array {
  return new Uint8Array(createHmac("sha256", DOMAIN).update(`${seed}|${role}|${index}`).digest())
}

export function syntheticKey(seed: number, role: string, index = 0): HeldKey {
  const { x, privateKey } = keyFromSeed(syntheticSeed(seed, role, index))
  return { keyId: keyIdOf(x), x, privateKey }
}

/** The key of the installation that signs the documents of the sandbox. No published key set has it, so a verifier must pin it. */
import { type PublicJwk, publicJwk } from "../core/jwk.ts"
import { sandboxIssuer } from "../core/sandbox/sandbox-issuer.ts"
import type { Signer } from "../core/signer.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
import { sandboxAgentId } from "../store/identity/service-identities.ts"
import { findActiveServiceKey } from "../store/identity/service-keys.ts"
import { keysIn } from "./key-places.ts"

export interface PublicSandboxKey {
  readonly key_id: string
  readonly public_jwk: PublicJwk
  readonly agent_id: string
}

/** What a caller pins to verify documents of the sandbox. */
export async function publicSandboxKey(store: Store): Promise<PublicSandboxKey> {
  return store.read(readSandboxKey)
}

/** See {@link publicSandboxKey}; for a unit that reads more. */
export function* readSandboxKey(): Unit<PublicSandboxKey> {
  const key = yield* findActiveServiceKey("sandbox")
  if (!key) throw new Error("the database has no ACTIVE sandbox key")
  return { key_id: key.keyId, public_jwk: publicJwk(key.x), agent_id: yield* sandboxAgentId() }
}

/** Reads the file of the sandbox key and of no other key. Throws SecretFileError when it cannot be used. */
export async function openSandboxSigner(store: Store, keysDirectory: string, issuerId: string): Promise<Signer> {
  const key = await store.read(() => findActiveServiceKey("sandbox"))
  if (!key) throw new Error("the database has no ACTIVE sandbox key")
  const { keyId, privateKey } = keysIn(keysDirectory)(key.keyId)
  return { issuer: sandboxIssuer(issuerId), keyId, privateKey }
}

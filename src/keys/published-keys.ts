import type { Jwks, PublishedJwk } from "../../schemas/discovery/jwks.ts"
import { instant, SECOND } from "../core/time.ts"
import type { ServiceKey } from "../store/identity/service-keys.ts"

/**
 * The public key set of rulings 18: statement keys, ACTIVE and ROTATED. REVOKED keys are left out, because a JOSE library that
 * knows nothing of `svc_status` would accept them; `revoked` adds them for our own offline verifier, which says "revoked"
 * instead of "unknown key". Log and sandbox keys are never in it.
 */
export function publishedKeys(keys: readonly ServiceKey[], options: { revoked: boolean } = { revoked: false }): Jwks {
  const shown = keys.filter((key) => key.use === "statement" && (options.revoked || key.status !== "REVOKED"))
  return { keys: shown.map(publishedKey) }
}

function publishedKey(key: ServiceKey): PublishedJwk {
  return {
    kty: "OKP",
    crv: "Ed25519",
    x: key.x,
    kid: key.keyId,
    alg: "EdDSA",
    use: "sig",
    svc_use: "statement",
    svc_status: key.status,
    nbf: Math.floor(instant(key.notBefore) / SECOND),
    exp: Math.floor(instant(key.expiresAt) / SECOND),
    ...(key.revokedSince === null ? {} : { svc_revoked_since: key.revokedSince }),
  }
}

import type { Jwks, PublishedJwk } from "../../schemas/discovery/jwks.ts"
import { instant, SECOND } from "../core/time.ts"
import type { ServiceKey } from "../store/identity/service-keys.ts"

/**
 * The public key set of rulings 18: ACTIVE and ROTATED statement keys. REVOKED keys are left out, because a JOSE library that does not know
 * `svc_status` would accept them. `revoked` adds them for the service's own offline verifier, which then reports "revoked" instead of
 * "unknown key". It never contains log or sandbox keys.
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

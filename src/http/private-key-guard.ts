import { hasPrivateMaterial } from "../core/jwk.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { ServiceError } from "../errors.ts"

/** Throws PRIVATE_KEY_MATERIAL_REJECTED if any object of the body is a private JWK: a private member beside `kty`. */
export function requireNoPrivateKey(body: unknown): void {
  if (!holdsPrivateJwk(body as JsonValue)) return
  throw new ServiceError(
    "PRIVATE_KEY_MATERIAL_REJECTED",
    "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
  )
}

/** The strict reader has already limited the depth. */
function holdsPrivateJwk(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(holdsPrivateJwk)
  if (Object.hasOwn(value, "kty") && hasPrivateMaterial(value)) return true
  return Object.values(value).some(holdsPrivateJwk)
}

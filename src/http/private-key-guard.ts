import { hasPrivateMaterial } from "../core/jwk.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { ServiceError } from "../errors.ts"

/** Throws PRIVATE_KEY_MATERIAL_REJECTED with the place of the first private JWK of the body: a private member beside `kty`. */
export function requireNoPrivateKey(body: unknown): void {
  const pointer = privateJwkIn(body as JsonValue)
  if (pointer === null) return
  throw new ServiceError(
    "PRIVATE_KEY_MATERIAL_REJECTED",
    "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
    { errors: [{ pointer, code: "PRIVATE_KEY", expected: "a public key" }] },
  )
}

/** Returns the RFC 6901 pointer of the first private JWK, or null. The strict reader has already limited the depth. */
function privateJwkIn(value: JsonValue): string | null {
  if (typeof value !== "object" || value === null) return null
  if (!Array.isArray(value) && Object.hasOwn(value, "kty") && hasPrivateMaterial(value)) return ""
  for (const [name, member] of Object.entries(value)) {
    const found = privateJwkIn(member)
    if (found !== null) return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}${found}`
  }
  return null
}

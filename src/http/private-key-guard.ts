import { hasPrivateMaterial } from "../core/jwk.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { ServiceError } from "../errors.ts"

/** Throws PRIVATE_KEY_MATERIAL_REJECTED if any object of the body is a private JWK: a private member beside `kty`. */
export function requireNoPrivateKey(body: unknown): void {
  const found = [...privateJwks(body as JsonValue, "")]
  if (found.length === 0) return
  throw new ServiceError(
    "PRIVATE_KEY_MATERIAL_REJECTED",
    "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
    {
      errors: found.map((pointer) => ({
        pointer,
        code: "PRIVATE_KEY_MATERIAL",
        expected: "public JWK with kty, crv and x",
      })),
    },
  )
}

/** Yields the pointer of each private JWK. The strict reader has already limited the depth. */
function* privateJwks(value: JsonValue, pointer: string): Generator<string> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value) && Object.hasOwn(value, "kty") && hasPrivateMaterial(value)) yield pointer
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "object") yield* privateJwks(member, `${pointer}/${escaped(name)}`)
  }
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1")
}

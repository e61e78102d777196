import { pointerStep } from "../core/json-pointer.ts"
import { hasPrivateMaterial } from "../core/private-material.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { ServiceError } from "../errors.ts"

/**
 * False only if no object of the JSON text has a member `kty`: no such name is in it, and no escape that could write one. It takes a tenth
 * of the time of {@link requireNoPrivateKey}.
 */
export function mayHoldKey(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return text.includes('"kty"') || text.includes("\\u")
}

/** Throws PRIVATE_KEY_MATERIAL_REJECTED with the place of each private JWK of the body: a private member beside `kty`. */
export function requireNoPrivateKey(body: unknown): void {
  const found: string[] = []
  findPrivateJwks(body as JsonValue, [], found)
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

/** Adds the pointer of each private JWK to `found`. The strict reader has already limited the depth. */
function findPrivateJwks(value: JsonValue, names: string[], found: string[]): void {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value) && Object.hasOwn(value, "kty") && hasPrivateMaterial(value)) found.push(pointerOf(names))
  for (const name in value) {
    const member = (value as Readonly<Record<string, JsonValue>>)[name]
    if (typeof member !== "object") continue
    names.push(name)
    findPrivateJwks(member, names, found)
    names.pop()
  }
}

function pointerOf(names: readonly string[]): string {
  return names.map(pointerStep).join("")
}

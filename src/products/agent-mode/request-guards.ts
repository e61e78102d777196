/** Checks of a request before its schema: no payment header, and no private key anywhere in the body. */
import { hasPrivateMaterial } from "../../core/jwk.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { type FieldError, ServiceError } from "../../errors.ts"

const PAYMENT_HEADERS = ["Payment-Signature", "X-Payment"] as const

/** Throws 422 PAYMENT_HEADER_FORBIDDEN. A payment that nobody takes must never look accepted. */
export function requireNoPaymentHeader(headers: Headers): void {
  const sent = PAYMENT_HEADERS.filter((name) => headers.has(name))
  if (sent.length === 0) return
  throw new ServiceError("PAYMENT_HEADER_FORBIDDEN", "This route is free. Nothing was charged.", {
    status: 422,
    errors: sent.map((name) => ({
      pointer: `header:${name}`,
      code: "PAYMENT_HEADER_FORBIDDEN",
      expected: "no such header",
    })),
  })
}

/** Throws 422 PRIVATE_KEY_MATERIAL_REJECTED for a private member beside `kty`, at any depth. */
export function requireNoPrivateJwk(body: JsonValue): void {
  const errors = privateJwks(body, "")
  if (errors.length === 0) return
  throw new ServiceError(
    "PRIVATE_KEY_MATERIAL_REJECTED",
    "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
    { errors },
  )
}

/** The strict reader limits the depth. */
function privateJwks(value: JsonValue, pointer: string): FieldError[] {
  if (typeof value !== "object" || value === null) return []
  const own =
    !Array.isArray(value) && Object.hasOwn(value, "kty") && hasPrivateMaterial(value)
      ? [{ pointer, code: "PRIVATE_KEY_MATERIAL", expected: "public JWK with kty, crv and x" }]
      : []
  const inner = Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" ? privateJwks(member as JsonValue, `${pointer}/${escaped(name)}`) : [],
  )
  return [...own, ...inner]
}

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1")

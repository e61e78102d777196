/** The two headers a UK purchase carries beside its body (Interface, "UK request headers"; rulings 26). Either one wrong is 400, never quoted. */
import { ServiceError } from "../errors.ts"
import type { Call } from "./call.ts"

const KEY_HEADER = "Idempotency-Key"
const DIGEST_HEADER = "X-CDO-Request-Body-Digest"

export type PaidHeadersCall = Pick<Call<{ readonly idempotency_key: string }>, "headers" | "body" | "bodyDigest">

/** Both, in the order of the interface. Throws {@link ServiceError}. */
export function requirePaidHeaders(call: PaidHeadersCall): void {
  requireSameKey(call.headers, call.body.idempotency_key)
  requireBodyDigest(call.headers, call.bodyDigest)
}

/**
 * `Idempotency-Key` is the body's `idempotency_key`, bare or as a quoted string of RFC 8941. Throws IDEMPOTENCY_KEY_MISSING or
 * _MISMATCH. A key outside ASCII may arrive as its UTF-8 bytes, which a header shows as Latin-1.
 */
export function requireSameKey(headers: Headers, key: string): void {
  const given = headers.get(KEY_HEADER)
  if (given === null || given === "") {
    throw refusal("IDEMPOTENCY_KEY_MISSING", KEY_HEADER, "Send Idempotency-Key with the body's idempotency_key.")
  }
  for (const text of [given, Buffer.from(given, "latin1").toString("utf8")]) {
    if (text === key || unquoted(text) === key) return
  }
  throw refusal("IDEMPOTENCY_KEY_MISMATCH", KEY_HEADER, "Idempotency-Key and the body's idempotency_key differ.")
}

/**
 * `X-CDO-Request-Body-Digest` is `sha256:` and the hex SHA-256 of exactly the bytes received, which is what `bodyDigest` is; a digest of
 * the same JSON written otherwise does not count. Throws BODY_DIGEST_MISSING, _MALFORMED or _MISMATCH.
 */
export function requireBodyDigest(headers: Headers, bodyDigest: string): void {
  const given = headers.get(DIGEST_HEADER)
  if (given === null || given === "") {
    throw refusal("BODY_DIGEST_MISSING", DIGEST_HEADER, "Send sha256: and the hex SHA-256 of the body's bytes.")
  }
  if (!/^sha256:[0-9a-fA-F]{64}$/.test(given)) {
    throw refusal("BODY_DIGEST_MALFORMED", DIGEST_HEADER, "The digest is sha256: and 64 hex characters.")
  }
  if (given.toLowerCase() === bodyDigest) return
  throw refusal("BODY_DIGEST_MISMATCH", DIGEST_HEADER, "It is not the digest of the bytes that arrived.")
}

/** What a quoted string says, or null where the text is none. */
function unquoted(text: string): string | null {
  const inner = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]
  return inner === undefined ? null : inner.replace(/\\(["\\])/g, "$1")
}

type Code =
  | "IDEMPOTENCY_KEY_MISSING"
  | "IDEMPOTENCY_KEY_MISMATCH"
  | "BODY_DIGEST_MISSING"
  | "BODY_DIGEST_MALFORMED"
  | "BODY_DIGEST_MISMATCH"

const EXPECTED = {
  [KEY_HEADER]: "the body's idempotency_key, bare or quoted",
  [DIGEST_HEADER]: "sha256: and the 64 hex digits of SHA-256 over the body's bytes",
} as const

function refusal(code: Code, header: keyof typeof EXPECTED, detail: string): ServiceError {
  return new ServiceError(code, detail, { errors: [{ pointer: `header:${header}`, code, expected: EXPECTED[header] }] })
}

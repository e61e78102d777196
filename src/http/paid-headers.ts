/**
 * The two headers that a UK purchase carries in addition to its body (Interface, "UK request headers"; rulings 26). If either is wrong, the
 * reply is 400 without a quote.
 */
import { ServiceError } from "../base/errors.ts"
import type { Call } from "./call.ts"
import { isSentTwice } from "./sent-twice.ts"

export const KEY_HEADER = "Idempotency-Key"
export const DIGEST_HEADER = "X-CDO-Request-Body-Digest"

type PaidHeadersCall = Pick<Call<{ readonly idempotency_key: string }>, "headers" | "body" | "bodyDigest">

/** Checks both in the order of the interface. Throws {@link ServiceError}. */
export function requirePaidHeaders(call: PaidHeadersCall): void {
  requireSameKey(call.headers, call.body.idempotency_key)
  requireBodyDigest(call.headers, call.bodyDigest ?? "")
}

/**
 * `Idempotency-Key` must equal the body's `idempotency_key`, bare or as an RFC 8941 quoted string. Throws IDEMPOTENCY_KEY_MISSING or
 * _MISMATCH. A key with non-ASCII characters may arrive as UTF-8 bytes, which a header presents as Latin-1.
 */
export function requireSameKey(headers: Headers, key: string): void {
  const given = headers.get(KEY_HEADER)
  if (given === null || given === "") {
    throw refusal("IDEMPOTENCY_KEY_MISSING", KEY_HEADER, "Send Idempotency-Key with the body's idempotency_key.")
  }
  for (const text of [given, Buffer.from(given, "latin1").toString("utf8")]) {
    if (text === key || unquoted(text) === key) return
  }
  const detail =
    isSentTwice(given) && !isSentTwice(key)
      ? "Send Idempotency-Key once."
      : "Idempotency-Key and the body's idempotency_key differ."
  throw refusal("IDEMPOTENCY_KEY_MISMATCH", KEY_HEADER, detail)
}

/**
 * `X-CDO-Request-Body-Digest` must equal `bodyDigest`: `sha256:` and the hex SHA-256 of exactly the bytes received. A digest of the same
 * JSON in another spelling does not match. Throws BODY_DIGEST_MISSING, _MALFORMED or _MISMATCH.
 */
function requireBodyDigest(headers: Headers, bodyDigest: string): void {
  const given = headers.get(DIGEST_HEADER)
  if (given === null || given === "") {
    throw refusal("BODY_DIGEST_MISSING", DIGEST_HEADER, "Send sha256: and the hex SHA-256 of the body's bytes.")
  }
  if (!/^sha256:[0-9a-fA-F]{64}$/.test(given)) {
    const detail = isSentTwice(given)
      ? "Send X-CDO-Request-Body-Digest once."
      : "The digest is sha256: and 64 hex characters."
    throw refusal("BODY_DIGEST_MALFORMED", DIGEST_HEADER, detail)
  }
  if (given.toLowerCase() === bodyDigest) return
  throw refusal("BODY_DIGEST_MISMATCH", DIGEST_HEADER, "It is not the digest of the bytes that arrived.")
}

/** Returns the content of a quoted string, or null for any other text. */
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

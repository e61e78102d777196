import { hash } from "node:crypto"
import type { Answer } from "./call.ts"

/** A document with a strong ETag over its bytes; 304 without body when the caller has it (RFC 9110 13.1.2). */
export function conditional(request: Headers, bytes: Uint8Array, headers: Readonly<Record<string, string>>): Answer {
  const etag = `"${hash("sha256", bytes, "hex")}"`
  const tagged = { ...headers, etag }
  const sent = request.get("if-none-match")
  return sent !== null && etagMatches(sent, etag)
    ? { status: 304, body: null, headers: tagged }
    : { status: 200, body: bytes, headers: tagged }
}

/** Weak comparison (RFC 9110 13.1.2): `W/` does not matter, and `*` matches. */
export function etagMatches(sent: string, etag: string): boolean {
  return sent.split(",").some((tag) => {
    const plain = tag.trim()
    return plain === "*" || plain.replace(/^W\//, "") === etag
  })
}

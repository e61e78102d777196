import { hash } from "node:crypto"
import type { Answer } from "./call.ts"

type Fields = Readonly<Record<string, string>>

/** A document with a strong ETag over its bytes; 304 without body when the caller has it (RFC 9110 13.1.2). */
export function conditional(request: Headers, bytes: Uint8Array, headers: Fields): Answer {
  return heldDocument(bytes, headers)(request)
}

/**
 * A document that is given many times: its ETag and headers are made once. The function it returns answers a request by its headers: the
 * document, or 304 without body when the caller has it.
 */
export function heldDocument(body: Uint8Array | string, headers: Fields): (request: Headers) => Answer {
  const etag = `"${hash("sha256", body, "hex")}"`
  const tagged = Object.freeze({ ...headers, etag })
  const whole: Answer = { status: 200, body, headers: tagged }
  const unchanged: Answer = { status: 304, body: null, headers: tagged }
  return (request) => {
    const sent = request.get("if-none-match")
    return sent !== null && etagMatches(sent, etag) ? unchanged : whole
  }
}

/** The same, made when it is first asked for, so that it delays no start. */
export function heldWhenAsked(make: () => (request: Headers) => Answer): (request: Headers) => Answer {
  let made: ((request: Headers) => Answer) | undefined
  return (request) => {
    made ??= make()
    return made(request)
  }
}

/** Weak comparison (RFC 9110 13.1.2): `W/` does not matter, and `*` matches. */
export function etagMatches(sent: string, etag: string): boolean {
  return sent.split(",").some((tag) => {
    const plain = tag.trim()
    return plain === "*" || plain.replace(/^W\//, "") === etag
  })
}

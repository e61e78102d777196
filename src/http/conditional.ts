import { hash } from "node:crypto"
import { MINUTE } from "../core/time.ts"
import type { Reply } from "./call.ts"

type Fields = Readonly<Record<string, string>>

/** Returns a document with a strong ETag of its bytes, or 304 without a body if the caller already has it (RFC 9110 13.1.2). */
export function conditional(request: Headers, bytes: Uint8Array, headers: Fields): Reply {
  return heldDocument(bytes, headers)(request)
}

/**
 * Computes the ETag and headers of a document once. The returned function maps request headers to the document, or to 304 without a body if
 * the caller already has it.
 */
export function heldDocument(body: Uint8Array | string, headers: Fields): (request: Headers) => Reply {
  const etag = `"${hash("sha256", body, "hex")}"`
  const tagged = Object.freeze({ ...headers, etag })
  const whole: Reply = { status: 200, body, headers: tagged }
  const unchanged: Reply = { status: 304, body: null, headers: tagged }
  return (request) => {
    const sent = request.get("if-none-match")
    return sent !== null && etagMatches(sent, etag) ? unchanged : whole
  }
}

/** The same, computed on first use, so that it does not delay the start. */
export function heldOnFirstRequest(make: () => (request: Headers) => Reply): (request: Headers) => Reply {
  let made: ((request: Headers) => Reply) | undefined
  return (request) => {
    made ??= make()
    return made(request)
  }
}

/** The same for a document that states the present time. It is made once in each minute; `make` gets the start of the minute in milliseconds. */
export function heldForMinute(now: () => number, make: (at: number) => (request: Headers) => Reply) {
  let held: { readonly at: number; readonly reply: (request: Headers) => Reply } | undefined
  return (request: Headers): Reply => {
    const sent = now()
    const at = sent - (sent % MINUTE)
    if (held?.at !== at) held = { at, reply: make(at) }
    return held.reply(request)
  }
}

/** Weak comparison (RFC 9110 13.1.2): ignores `W/`, and `*` matches any ETag. */
export function etagMatches(sent: string, etag: string): boolean {
  return sent.split(",").some((tag) => {
    const plain = tag.trim()
    return plain === "*" || plain.replace(/^W\//, "") === etag
  })
}

/** Secrets of a reviewer: links and sessions have 32 random bytes, and only their hashes are stored. */
import { createHmac, hash, timingSafeEqual } from "node:crypto"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"

const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/

/**
 * `__Host-` binds the cookie to this host. Browsers send a cookie to every port of a host, so each POST also states its origin, and what changes a right
 * or a judgement needs the passkey, which signs the origin with its port.
 */
const COOKIE = "__Host-desk"

/** 43 characters of base64url. */
export function newSecret({ random }: Pick<Machine, "random">): string {
  return encodeBase64url(random(SECRET_BYTES))
}

/** SHA-256 in hex. */
export function hashOfSecret(secret: string): string {
  return hash("sha256", secret, "hex")
}

/** The session in the Cookie header; null if there is none, or two. */
export function sessionIn(headers: Headers): string | null {
  const values = (headers.get("cookie") ?? "").split(";").flatMap((pair) => {
    const [name, value = ""] = pair.trim().split("=")
    return name === COOKIE ? [value] : []
  })
  const [value = ""] = values
  return values.length === 1 && SECRET.test(value) ? value : null
}

/** It ends with the browser. The server ends it after twelve hours, or half an hour without use. */
export function sessionCookie(secret: string): string {
  return `${COOKIE}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict`
}

export function endedCookie(): string {
  return `${COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`
}

/** A form of this session that goes to this path carries it. */
export function formToken(session: string, path: string): string {
  return createHmac("sha256", session).update(path).digest("base64url")
}

export function isFormToken(given: string, session: string, path: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(formToken(session, path))]
  return one.length === other.length && timingSafeEqual(one, other)
}

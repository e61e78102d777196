import { expect, test } from "bun:test"
import { createHash, createHmac } from "node:crypto"
import { authorizationToken, tokenHash } from "../../src/core/authorization-token.ts"

const KEY = new Uint8Array(32).map((_, i) => i)
const EXECUTION = "exe_AAAAAAAAAAAAAAAAAAAAAA"

test("a token is svc_at_ and the HMAC of its execution, the same on every call", () => {
  const token = authorizationToken(KEY, EXECUTION)
  expect(token).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
  expect(Buffer.from(token.slice("svc_at_".length), "base64url")).toEqual(
    createHmac("sha256", KEY).update(EXECUTION).digest(),
  )
  expect(authorizationToken(new Uint8Array(KEY), EXECUTION)).toBe(token)
})

test("another execution and another key make another token", () => {
  const tokens = [
    authorizationToken(KEY, EXECUTION),
    authorizationToken(KEY, "exe_AAAAAAAAAAAAAAAAAAAAAB"),
    authorizationToken(KEY.toReversed(), EXECUTION),
  ]
  expect(new Set(tokens).size).toBe(3)
})

test("a key of another length is refused, not padded", () => {
  for (const length of [0, 31, 33]) {
    expect(() => authorizationToken(new Uint8Array(length), EXECUTION)).toThrow(TypeError)
  }
})

test("the stored value is the SHA-256 of the whole text and reveals nothing of the token", () => {
  const token = authorizationToken(KEY, EXECUTION)
  expect(tokenHash(token)).toBe(createHash("sha256").update(token).digest("hex"))
})

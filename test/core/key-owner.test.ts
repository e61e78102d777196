import { expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { encodeBase64url } from "../../src/core/base64url.ts"
import { keyOwner } from "../../src/core/key-owner.ts"

/** The definition on bytes. The text form must give the same result for every key. */
function ownerByBytes(bytes: Uint8Array): string {
  const cleared = Uint8Array.from(bytes)
  cleared[31] = (cleared[31] ?? 0) & 0x7f
  return encodeBase64url(cleared)
}

test("a key and its negation have one owner: the point without its sign bit", () => {
  for (let i = 0; i < 2000; i++) {
    const key = new Uint8Array(randomBytes(32))
    const negated = Uint8Array.from(key)
    negated[31] = (negated[31] ?? 0) ^ 0x80
    expect(keyOwner(encodeBase64url(key))).toBe(ownerByBytes(key))
    expect(keyOwner(encodeBase64url(negated))).toBe(ownerByBytes(key))
  }
})

test("keys that differ in any other bit have two owners", () => {
  const key = new Uint8Array(randomBytes(32))
  for (let bit = 0; bit < 255; bit++) {
    const other = Uint8Array.from(key)
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(keyOwner(encodeBase64url(other))).not.toBe(keyOwner(encodeBase64url(key)))
  }
})

test("text that is not a key throws", () => {
  for (const text of ["", "not a key", "A".repeat(42), "A".repeat(44), `${"A".repeat(42)}=`]) {
    expect(() => keyOwner(text)).toThrow(TypeError)
  }
})

import { expect, test } from "bun:test"
import fc from "fast-check"
import { decodeBase64url, encodeBase64url } from "../../src/core/base64url.ts"

test("every byte string has one text, and the text decodes to the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const text = encodeBase64url(bytes)
      expect(text).toBe(Buffer.from(bytes).toString("base64url"))
      expect(decodeBase64url(text)).toEqual(bytes)
      expect(decodeBase64url(text, bytes.length)).toEqual(bytes)
      expect(decodeBase64url(text, bytes.length + 1)).toBeNull()
    }),
  )
})

test("only the encoder's own output decodes: bytes have no second spelling", () => {
  const character = fc.constantFrom(..."ABCDwxyz0189-_+/= \n\u00e9")
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
      const text = characters.join("")
      const bytes = decodeBase64url(text)
      if (bytes !== null) expect(encodeBase64url(bytes)).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test("16 of 64 last characters are canonical for a 32-byte key, and 4 for a 64-byte signature", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  const taken = (length: number, byteLength: number) =>
    [...alphabet].filter((last) => decodeBase64url("A".repeat(length - 1) + last, byteLength) !== null).join("")
  expect(taken(43, 32)).toBe("AEIMQUYcgkosw048")
  expect(taken(86, 64)).toBe("AQgw")
})

test.each([
  ["padding", "AA=="],
  ["standard base64", "+/+/"],
  ["white space", "AA AA"],
  ["a trailing newline", "AAAA\n"],
  ["a single character", "A"],
])("%s is refused", (_, text) => {
  expect(decodeBase64url(text)).toBeNull()
})

test("a view into a larger buffer encodes only its own bytes", () => {
  expect(encodeBase64url(new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4))).toBe("AQID")
})

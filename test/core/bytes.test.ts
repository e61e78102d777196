import { expect, test } from "bun:test"
import fc from "fast-check"
import { concatBytes, decodeBase64, encodeBase64, sameBytes } from "../../src/core/bytes.ts"

test("our base64 equals the platform's, and only exactly that text decodes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64(bytes)
      expect(text).toBe(Buffer.from(bytes).toString("base64"))
      expect(decodeBase64(text)).toEqual(bytes)
      expect(decodeBase64(text, bytes.length + 1)).toBeNull()
    }),
  )
})

test.each(["A", "AA", "AAA", "AB==", "AAB=", "AA=A", "AA-_", "AAAA\n", " AAAA", "====", "A==="])(
  "%p does not decode as base64",
  (text) => expect(decodeBase64(text)).toBeNull(),
)

test("bytes are joined in order and compared completely", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), fc.uint8Array({ maxLength: 20 }), (parts, other) => {
      const joined = concatBytes(...parts)
      expect([...joined]).toEqual(parts.flatMap((part) => [...part]))
      expect(sameBytes(joined, other)).toBe(Buffer.compare(joined, other) === 0)
      expect(sameBytes(joined, joined.slice())).toBe(true)
    }),
  )
})

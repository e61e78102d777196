import { expect, test } from "bun:test"
import { formatId, ID_RANDOM_BYTES } from "../../src/core/ids.ts"

test("an id is its prefix and the given bytes as 22 base64url characters", () => {
  expect(formatId("dec", new Uint8Array(ID_RANDOM_BYTES).fill(255))).toBe("dec______________________w")
  expect(formatId("req", new Uint8Array(ID_RANDOM_BYTES))).toMatch(/^req_A{22}$/)
})

test.each([0, 15, 17, 32])("%p random bytes throw", (length) => {
  expect(() => formatId("req", new Uint8Array(length))).toThrow(TypeError)
})

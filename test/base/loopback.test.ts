import { expect, test } from "bun:test"
import { isLoopbackName } from "../../src/base/loopback.ts"

test.each([
  ["127.0.0.1", true],
  ["127.255.0.9", true],
  ["localhost", true],
  ["[::1]", true],
  ["127.0.0.1.example", false],
  ["127.example", false],
  ["localhost.example", false],
  ["0.0.0.0", false],
  ["[::2]", false],
  ["", false],
])("%p stays on this machine: %p", (name, expected) => {
  expect(isLoopbackName(name)).toBe(expected)
})

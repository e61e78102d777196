import { expect, test } from "bun:test"
import { realMachine } from "../src/machine.ts"

test("the clock counts milliseconds since the epoch", () => {
  const before = Date.now()
  const now = realMachine.now()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})

test("random bytes have the length asked for and do not repeat", () => {
  const drawn = Array.from({ length: 50 }, () => Buffer.from(realMachine.random(16)).toString("hex"))
  for (const hex of drawn) expect(hex.length).toBe(32)
  expect(new Set(drawn).size).toBe(50)
})

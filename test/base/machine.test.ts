import { expect, test } from "bun:test"
import { every, realMachine } from "../../src/base/machine.ts"

test("the clock counts milliseconds since the epoch", () => {
  const before = Date.now()
  const now = realMachine.now()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})

test("random bytes have the requested length and do not repeat", () => {
  const drawn = Array.from({ length: 50 }, () => Buffer.from(realMachine.random(16)).toString("hex"))
  for (const hex of drawn) expect(hex.length).toBe(32)
  expect(new Set(drawn).size).toBe(50)
})

test("the monotonic clock does not follow the wall clock", async () => {
  const before = realMachine.monotonic()
  await realMachine.sleep(2)
  expect(realMachine.monotonic()).toBeGreaterThan(before)
  expect(realMachine.monotonic()).toBeLessThan(Date.now() / 2)
})

test("a cancelled callback is never called", async () => {
  let called = 0
  const cancel = realMachine.after(1, () => called++)
  const later = new Promise<void>((resolve) => realMachine.after(2, resolve))
  cancel()
  await later
  expect(called).toBe(0)
})

test("a repeated callback stops when it is cancelled, also by itself", async () => {
  let called = 0
  await new Promise<void>((resolve) => {
    const stop = every(realMachine, 1, () => {
      called++
      if (called < 3) return
      stop()
      // A fourth call would be due before this one.
      realMachine.after(2, resolve)
    })
  })
  expect(called).toBe(3)
})

import { afterEach, beforeEach, expect, test } from "bun:test"
import { purgeNonces, spendNonce } from "../../src/store/nonces.ts"
import { AT, LATER, moneyStore } from "./money-rows.ts"

let store: ReturnType<typeof moneyStore>
beforeEach(() => {
  store = moneyStore()
})
afterEach(() => store.close())

const spend = (scope: string, nonce: string, expiresAt = LATER) => store.run(() => spendNonce(scope, nonce, expiresAt))

test("a nonce is spent once within its scope, even by many callers at once", async () => {
  const spent = await Promise.all(Array.from({ length: 20 }, () => spend("a", "n")))
  expect(spent.filter(Boolean)).toHaveLength(1)
  expect(await spend("b", "n")).toBe(true)
})

test("a nonce is removed only after its window has passed", async () => {
  await spend("a", "n", LATER)
  expect(await store.run(() => purgeNonces(AT))).toBe(0)
  expect(await store.run(() => purgeNonces(LATER))).toBe(0)
  expect(await spend("a", "n")).toBe(false)
  expect(await store.run(() => purgeNonces("2026-11-21T10:01:00.001Z"))).toBe(1)
  expect(await spend("a", "n")).toBe(true)
})

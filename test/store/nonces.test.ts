import { afterEach, beforeEach, expect, test } from "bun:test"
import { isNonceSpent, purgeNonces, spendNonce } from "../../src/store/nonces.ts"
import { AT, LATER, moneyStore } from "./money-rows.ts"

let store: ReturnType<typeof moneyStore>
beforeEach(() => {
  store = moneyStore()
})
afterEach(() => store.close())

const spend = (scope: string, nonce: string, expiresAt = LATER, now = AT) =>
  store.run(() => spendNonce(scope, nonce, expiresAt, now))

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

test("each spent nonce removes at most 64 expired ones, the oldest first", async () => {
  const old = Array.from({ length: 100 }, (_, i) => `2026-11-01T10:00:00.${String(i).padStart(3, "0")}Z`)
  for (const [i, expiresAt] of old.entries()) await spend("old", `n${i}`, expiresAt, "2026-10-01T10:00:00.000Z")
  await spend("a", "n")
  const isSpent = (nonce: string) => store.run(() => isNonceSpent("old", nonce))
  expect([await isSpent("n63"), await isSpent("n64")]).toEqual([false, true])
  expect(await store.run(() => purgeNonces(AT))).toBe(36)
})

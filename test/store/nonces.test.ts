import { afterEach, beforeEach, expect, test } from "bun:test"
import { isNonceSpent, purgeNonces, spendNonce } from "../../src/store/nonces.ts"
import { AT, LATER } from "./money-rows.ts"
import { moneyStore } from "./money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const IN_ORDER = "SELECT nonce FROM used_nonce ORDER BY rowid"

const spend = (scope: string, nonce: string, expiresAt = LATER, now = AT) =>
  store.run(() => spendNonce(scope, nonce, expiresAt, now))

test("a nonce is spent once within its scope, even by many callers at once", async () => {
  const spent = await Promise.all(Array.from({ length: 20 }, () => spend("a", "n")))
  expect(spent.filter(Boolean)).toHaveLength(1)
  expect(await spend("b", "n")).toBe(true)
})

test("a nonce is spent until its window has passed, whether or not it was removed", async () => {
  await spend("a", "n", LATER)
  expect(await store.run(() => purgeNonces(AT))).toBe(0)
  expect(await store.run(() => purgeNonces(LATER))).toBe(0)
  expect(await spend("a", "n")).toBe(false)
  const after = "2026-11-21T10:01:00.001Z"
  expect(await store.run(() => isNonceSpent("a", "n", LATER))).toBe(true)
  expect(await store.run(() => isNonceSpent("a", "n", after))).toBe(false)
  const again = "2026-11-21T10:03:00.000Z"
  expect(await spend("a", "n", again, after)).toBe(true)
  expect(await spend("a", "n", again, after)).toBe(false)
  expect(await store.run(() => purgeNonces(after))).toBe(0)
  expect(await store.run(() => purgeNonces("2026-11-21T10:03:00.001Z"))).toBe(1)
  expect(await spend("a", "n")).toBe(true)
})

test("a purge removes at most 64 expired nonces, the oldest first, whatever gaps their numbers have, and a spent one removes none", async () => {
  const old = Array.from({ length: 100 }, (_, i) => `2026-11-01T10:00:00.${String(i).padStart(3, "0")}Z`)
  for (const [i, expiresAt] of old.entries()) {
    await spend("old", `n${i}`, expiresAt, "2026-10-01T10:00:00.000Z")
    await spend("gap", `n${i}`, expiresAt, "2026-10-01T10:00:00.000Z")
  }
  await store.write("DELETE FROM used_nonce WHERE scope = 'gap'")
  await spend("a", "n")
  const left = async () => (await store.rows<{ nonce: string }>(IN_ORDER)).map(({ nonce }) => nonce)
  expect(await left()).toHaveLength(101)
  expect(await store.run(() => purgeNonces(AT))).toBe(64)
  const rest = await left()
  expect([rest[0], rest.length]).toEqual(["n64", 37])
  expect(await store.run(() => purgeNonces(AT))).toBe(36)
})

test("a nonce with a longer life holds those after it back until it ends", async () => {
  const [soon, late] = ["2026-11-21T10:02:00.000Z", "2026-11-21T10:10:00.000Z"]
  await spend("a", "long", late)
  for (const nonce of ["b", "c"]) await spend("a", nonce, LATER)
  await spend("a", "d", late, soon)
  expect(await store.run(() => purgeNonces(soon))).toBe(2)
  expect(await store.rows(IN_ORDER)).toEqual([{ nonce: "long" }, { nonce: "d" }])
})

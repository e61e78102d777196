import { afterEach, beforeEach, expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { isNonceSpent, purgeNonces, spendNonce } from "../../src/store/nonces.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { AT, LATER, moneyStore } from "./money-rows.ts"

const BEFORE_ORDER = 39

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

test("a nonce with a longer life holds those after it back until it ends", async () => {
  const [soon, late] = ["2026-11-21T10:02:00.000Z", "2026-11-21T10:10:00.000Z"]
  await spend("a", "long", late)
  for (const nonce of ["b", "c"]) await spend("a", nonce, LATER)
  await spend("a", "d", late, soon)
  const isSpent = (nonce: string) => store.run(() => isNonceSpent("a", nonce))
  expect([await isSpent("b"), await isSpent("c")]).toEqual([true, true])
  expect(await store.run(() => purgeNonces(soon))).toBe(2)
  expect([await isSpent("long"), await isSpent("b"), await isSpent("d")]).toEqual([true, false, true])
})

test("an upgrade keeps spent nonces, in the order of their ends", async () => {
  using fresh = freshDirectory()
  const database = openDatabase(`${fresh.path}/old.db`)
  migrate(
    database,
    AT,
    migrations.filter(({ ordinal }) => ordinal <= BEFORE_ORDER),
  )
  const insert = database.prepare("INSERT INTO used_nonce (scope, nonce, expires_at) VALUES (?1, ?2, ?3)")
  insert.run("a", "ends later", LATER)
  insert.run("b", "ends now", AT)
  migrate(database, AT)
  expect(database.query("SELECT scope, nonce, expires_at FROM used_nonce ORDER BY rowid").values()).toEqual([
    ["b", "ends now", AT],
    ["a", "ends later", LATER],
  ])
  const upgraded = new SqliteStore(database, (error) => {
    throw error
  })
  expect(await upgraded.run(() => spendNonce("a", "ends later", LATER, AT))).toBe(false)
  await upgraded.close()
})

import { afterEach, beforeEach, expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { isNonceSpent, purgeNonces, spendNonce } from "../../src/store/nonces.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { AT, LATER, moneyDatabase } from "./money-rows.ts"

const BEFORE_ORDER = 39

let store: ReturnType<typeof moneyDatabase>
beforeEach(() => {
  store = moneyDatabase()
})
afterEach(() => store.close())

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

test("a purge removes at most 64 expired nonces, the oldest first, and a spent one removes none", async () => {
  const old = Array.from({ length: 100 }, (_, i) => `2026-11-01T10:00:00.${String(i).padStart(3, "0")}Z`)
  for (const [i, expiresAt] of old.entries()) await spend("old", `n${i}`, expiresAt, "2026-10-01T10:00:00.000Z")
  await spend("a", "n")
  const left = () => store.database.query("SELECT nonce FROM used_nonce ORDER BY rowid").values().flat()
  expect(left()).toHaveLength(101)
  expect(await store.run(() => purgeNonces(AT))).toBe(64)
  expect([left()[0], left().length]).toEqual(["n64", 37])
  expect(await store.run(() => purgeNonces(AT))).toBe(36)
})

test("a nonce with a longer life holds those after it back until it ends", async () => {
  const [soon, late] = ["2026-11-21T10:02:00.000Z", "2026-11-21T10:10:00.000Z"]
  await spend("a", "long", late)
  for (const nonce of ["b", "c"]) await spend("a", nonce, LATER)
  await spend("a", "d", late, soon)
  expect(await store.run(() => purgeNonces(soon))).toBe(2)
  expect(store.database.query("SELECT nonce FROM used_nonce ORDER BY rowid").values().flat()).toEqual(["long", "d"])
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

/** The upgrade of files that an earlier release made. PostgreSQL begins with the present schema. */
import { expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { spendNonce } from "../../src/store/nonces.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { AT, LATER } from "./money-rows.ts"

const BEFORE_ORDER = 39

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

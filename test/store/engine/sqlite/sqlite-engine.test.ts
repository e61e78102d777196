/** What a data directory learns of a database file before and after its migrations. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SchemaMismatch } from "../../../../db/applied-migrations.ts"
import { migrations } from "../../../../db/migrations.ts"
import { UNWATCHED } from "../../../../src/base/long-work.ts"
import { createSqlite } from "../../../../src/store/engine/sqlite/create-sqlite.ts"
import { readSqlite } from "../../../../src/store/engine/sqlite/read-sqlite.ts"
import { openSqlite } from "../../../../src/store/engine/sqlite/sqlite-engine.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import { insertMeta, metaValue } from "../../../../src/store/meta.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { put } from "../../nonce-rows.ts"

const AT = "2026-01-01T00:00:00.000Z"
const onFatal = (error: unknown): never => {
  throw error
}

/** A database of this release in a new directory. */
async function made() {
  const fresh = freshDirectory()
  const path = join(fresh.path, "a.db")
  const { store, schema } = createSqlite(path, AT)
  await store.run(() => insertMeta("environment", "test"))
  await store.close()
  return { fresh, path, schema, [Symbol.dispose]: () => fresh[Symbol.dispose]() }
}

test("a new database has every migration, and its contents are this program's", async () => {
  using own = await made()
  expect(own.schema).toBe(migrations.length)
  const engine = openSqlite(own.path, { onFatal })
  expect(await engine.contents()).toBe("OWN")
  expect(await engine.pendingMigrations()).toEqual([])
  expect([await engine.metaBefore("environment"), await engine.metaBefore("nothing")]).toEqual(["test", null])
  await engine.store.close()
})

test.each([
  ["", "EMPTY"],
  ["CREATE TABLE thesis (text TEXT)", "FOREIGN"],
] as const)("the contents of a file after %p are %s, and it has no value of meta", async (sql, contents) => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "a.db")
  writeFileSync(path, "")
  const other = new Database(path)
  if (sql !== "") other.run(sql)
  other.close()
  const engine = openSqlite(path, { onFatal })
  expect(await engine.contents()).toBe(contents)
  expect(await engine.metaBefore("environment")).toBeNull()
  engine.abandon()
})

test("pending migrations are copied aside and applied; COMMIT waits for the disk until the store opens", async () => {
  using own = await made()
  const further = {
    ordinal: migrations.length + 1,
    name: "further",
    sql: "CREATE TABLE further (a TEXT) STRICT",
  }
  const engine = openSqlite(own.path, { onFatal, known: [...migrations, further] })
  const synchronous = () => engine.database.query("PRAGMA synchronous").get()
  expect((await engine.pendingMigrations()).map(({ name }) => name)).toEqual(["further"])
  const copy = await engine.copyBefore(further.ordinal, UNWATCHED)
  expect(synchronous()).toEqual({ synchronous: 2 })
  expect(await engine.migrate(AT)).toEqual(["further"])
  expect(synchronous()).toEqual({ synchronous: 2 })
  expect(await engine.store.read(() => metaValue("environment"))).toBe("test")
  expect(synchronous()).toEqual({ synchronous: 1 })
  await engine.store.close()
  expect(copy).toStartWith(`${own.path}.before-`)
  const before = readSqlite(copy)
  expect(await before.pendingMigrations()).toEqual([])
  expect(await before.store.read(() => metaValue("environment"))).toBe("test")
  expect(before.bytes()).toBeGreaterThan(100_000)
  before.close()
  const older = openSqlite(own.path, { onFatal })
  await expect(older.pendingMigrations()).rejects.toBeInstanceOf(SchemaMismatch)
  older.abandon()
})

test("the version of others changes with their commits alone", async () => {
  using own = await made()
  const [engine, other] = [openSqlite(own.path, { onFatal }), openSqlite(own.path, { onFatal })]
  const before = engine.othersVersion()
  await engine.store.run(() => put("own"))
  expect(engine.othersVersion()).toBe(before)
  await other.store.run(() => put("other"))
  expect(engine.othersVersion()).not.toBe(before)
  await engine.store.close()
  await other.store.close()
})

test.each(["a.db", "a.db-wal"])(
  "without its file %s the database is not in place, and no unit before a payment runs",
  async (name) => {
    using own = await made()
    const engine = openSqlite(own.path, { onFatal })
    await engine.store.runInPlace(() => put("first"))
    expect(engine.isInPlace()).toBeTrue()
    renameSync(join(own.fresh.path, name), join(own.fresh.path, "elsewhere"))
    expect(engine.isInPlace()).toBeFalse()
    await expect(engine.store.runInPlace(() => put("second"))).rejects.toEqual(new StoreUnavailable("MOVED"))
    await engine.store.close()
  },
)

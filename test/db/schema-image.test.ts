import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { migrate, pendingMigrations } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openInMemory, schemaImage, stampSchema } from "../../db/schema-image.ts"

const AT = "2026-01-01T00:00:00.000Z"

function contentOf(database: Database) {
  const schema = database.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid").all()
  const names = (schema as { type: string; name: string }[]).filter(({ type }) => type === "table")
  return { schema, rows: names.map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).all()]) }
}

test("a copy has the tables, rows and times that the migrations make", () => {
  using migrated = new Database(":memory:", { strict: true })
  migrate(migrated, AT)
  using copy = openInMemory(AT)
  expect(contentOf(copy)).toEqual(contentOf(migrated))
  expect(pendingMigrations(copy)).toEqual([])
})

test("a stamp counts the migrations and sets their time", () => {
  using copy = openInMemory(AT)
  const later = "2026-02-02T00:00:00.000Z"
  expect(stampSchema(copy, later)).toBe(migrations.length)
  expect(copy.query("SELECT DISTINCT applied_at FROM schema_migration").values()).toEqual([[later]])
})

test("a copy in memory checks references and grows beyond the size of the image", () => {
  using copy = openInMemory(AT)
  expect(copy.query("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 })
  copy.run("CREATE TABLE wide (content TEXT) STRICT")
  const insert = copy.query("INSERT INTO wide (content) VALUES (?1)")
  const text = "x".repeat(10_000)
  for (let row = 0; row < 200; row++) insert.run(text)
  expect(copy.query("SELECT sum(length(content)) AS length FROM wide").get()).toEqual({ length: 2_000_000 })
})

test("a change of one copy changes neither another copy nor the image", () => {
  const before = Buffer.from(schemaImage())
  using one = openInMemory(AT)
  one.run("INSERT INTO meta (name, value) VALUES ('a', 'b')")
  using other = openInMemory(AT)
  expect(other.query("SELECT count(*) AS rows FROM meta").get()).toEqual({ rows: 0 })
  expect(before.equals(schemaImage())).toBe(true)
})

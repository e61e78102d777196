import type { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SchemaMismatch } from "../../db/applied-migrations.ts"
import { fillText } from "../../db/fill.ts"
import { migrate, pendingMigrations } from "../../db/migrate.ts"
import { type Migration, migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const AT = "2026-01-01T00:00:00.000Z"
const first = { ordinal: 1, name: "0001_a", sql: "CREATE TABLE a (x TEXT) STRICT; INSERT INTO a VALUES ('one')" }
const second = { ordinal: 2, name: "0002_b", sql: "CREATE TABLE b AS SELECT x FROM a" }
const third = { ordinal: 3, name: "0003_c", sql: "CREATE TABLE c (x TEXT) STRICT" }

async function onFile(use: (database: Database, path: string) => void | Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "bizauth-migrate-"))
  const path = join(directory, "bizauth.db")
  const database = openDatabase(path)
  try {
    await use(database, path)
  } finally {
    database.close(true)
    rmSync(directory, { recursive: true, force: true })
  }
}

const tables = (database: Database) =>
  (database.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as { name: string }[]).map(
    ({ name }) => name,
  )

test("migrations run once, in order, and the result names those that ran", () =>
  onFile((database) => {
    expect(migrate(database, AT, [first])).toEqual(["0001_a"])
    expect(migrate(database, AT, [first, second, third])).toEqual(["0002_b", "0003_c"])
    expect(migrate(database, AT, [first, second, third])).toEqual([])
    expect(database.query("SELECT x FROM b").all()).toEqual([{ x: "one" }])
    expect(database.query("SELECT ordinal, name, applied_at FROM schema_migration ORDER BY ordinal").all()).toEqual([
      { ordinal: 1, name: "0001_a", applied_at: AT },
      { ordinal: 2, name: "0002_b", applied_at: AT },
      { ordinal: 3, name: "0003_c", applied_at: AT },
    ])
  }))

test("if one migration fails, none of the pending ones is applied", () =>
  onFile((database) => {
    const broken = {
      ordinal: 2,
      name: "0002_broken",
      sql: "CREATE TABLE b (x TEXT) STRICT; INSERT INTO nowhere VALUES (1)",
    }
    expect(() => migrate(database, AT, [first, broken])).toThrow("nowhere")
    expect(database.inTransaction).toBe(false)
    expect(tables(database)).toEqual([])
  }))

test("what SQL cannot do runs after the text of its migration, and is undone with it", () =>
  onFile((database) => {
    const filled = {
      ...third,
      fill: () => fillText("INSERT INTO c SELECT x || '!' FROM a"),
    }
    const failing = {
      ...filled,
      *fill() {
        yield* filled.fill()
        throw new Error("no fill")
      },
    }
    expect(() => migrate(database, AT, [first, second, failing])).toThrow("no fill")
    expect(tables(database)).toEqual([])
    migrate(database, AT, [first, second, filled])
    expect(database.query("SELECT x FROM c").values()).toEqual([["one!"]])
  }))

test("a migration that would end the transaction is refused", () =>
  onFile((database) => {
    const committing = { ordinal: 1, name: "0001_commit", sql: "CREATE TABLE a (x TEXT) STRICT; COMMIT" }
    expect(() => migrate(database, AT, [committing])).toThrow("0001_commit")
    expect(database.query("SELECT count(*) AS n FROM schema_migration").get()).toEqual({ n: 0 })
  }))

test("a database newer than the binary is refused and left unchanged", () =>
  onFile((database) => {
    migrate(database, AT, [first, second])
    const before = tables(database)
    expect(() => migrate(database, AT, [first])).toThrow(
      new SchemaMismatch("database has migration 0002_b, which this binary does not know"),
    )
    expect(tables(database)).toEqual(before)
  }))

test("a migration that changed after it was applied is refused", () =>
  onFile((database) => {
    migrate(database, AT, [first])
    const changed = { ...first, sql: `${first.sql} ` }
    expect(() => migrate(database, AT, [changed, second])).toThrow(SchemaMismatch)
    expect(tables(database)).not.toContain("b")
  }))

test("a migration inserted before applied ones is refused", () =>
  onFile((database) => {
    migrate(database, AT, [first, third])
    expect(() => pendingMigrations(database, [first, second, third])).toThrow(
      new SchemaMismatch("database has migration 0003_c but not 0002_b, which comes before it"),
    )
  }))

test("reading the pending migrations writes nothing", () =>
  onFile((database) => {
    expect(pendingMigrations(database, [first, second])).toEqual([first, second])
    expect(tables(database)).toEqual([])
  }))

test("two processes that start together migrate once", () =>
  onFile(async (database, path) => {
    const start = () =>
      Bun.spawn([process.execPath, join(import.meta.dir, "migrating-process.ts"), path], { stdout: "pipe" })
    const outputs = await Promise.all([start(), start()].map((child) => new Response(child.stdout).text()))
    expect(outputs.map((output) => output.trim()).sort()).toEqual(["0", String(migrations.length)])
    expect(pendingMigrations(database)).toEqual([])
  }))

test("a process killed during a migration leaves nothing", () =>
  onFile(async (database, path) => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "migrating-process.ts"), path, "stall"], {
      stdout: "pipe",
    })
    const { value } = await child.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toContain("in the middle")
    child.kill("SIGKILL")
    await child.exited
    expect(tables(database)).toEqual([])
    expect(migrate(database, AT).length).toBe(migrations.length)
  }))

test("the migrations of this binary are numbered without gaps, named by their number and never end the transaction", () => {
  for (const [position, { ordinal, name, sql, postgres = "" }] of migrations.entries()) {
    expect(ordinal).toBe(position + 1)
    expect(name).toMatch(new RegExp(`^${String(ordinal).padStart(4, "0")}_[a-z_]+$`))
    expect(`${sql}\n${postgres}`).not.toMatch(
      /^\s*(COMMIT|END\s*;|ROLLBACK|BEGIN\s*(;|IMMEDIATE|EXCLUSIVE|TRANSACTION))/im,
    )
  }
})

test("every table the migrations make is STRICT", () =>
  onFile((database) => {
    migrate(database, AT)
    const list = database.query("PRAGMA table_list").all() as { name: string; type: string; strict: number }[]
    const loose = list.filter(({ name, type, strict }) => type === "table" && !strict && !name.startsWith("sqlite_"))
    expect(loose.map(({ name }) => name)).toEqual([])
    expect(list.length).toBeGreaterThan(5)
  }))

test("every drizzle table has exactly the columns of its migration", async () => {
  const declared = await import("../../db/tables.ts")
  const { getTableConfig, SQLiteTable } = await import("drizzle-orm/sqlite-core")
  await onFile((database) => {
    migrate(database, AT)
    for (const table of Object.values(declared)) {
      if (!(table instanceof SQLiteTable)) continue
      const { name, columns } = getTableConfig(table)
      const real = database.query(`SELECT name, type, "notnull" FROM pragma_table_info(?1)`).all(name) as {
        name: string
        type: string
      }[]
      expect({ name, columns: columns.map((column) => column.name).sort() }).toEqual({
        name,
        columns: real.map((column) => column.name).sort(),
      })
      for (const column of columns) {
        const type = real.find((each) => each.name === column.name)?.type.toLowerCase()
        expect(`${name}.${column.name} ${column.getSQLType()}`).toBe(`${name}.${column.name} ${type}`)
      }
    }
  })
})

test("an empty list of migrations applies nothing", () =>
  onFile((database) => {
    const none: readonly Migration[] = []
    expect(migrate(database, AT, none)).toEqual([])
  }))

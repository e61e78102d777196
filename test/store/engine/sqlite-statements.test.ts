import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { count, eq, inArray, max, type SQL, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/bun-sqlite"
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { drive } from "../../../src/store/engine/drive-unit.ts"
import { isTrue } from "../../../src/store/engine/expressions.ts"
import { SqliteStatements, sqliteShape } from "../../../src/store/engine/sqlite/sqlite-statements.ts"
import { UnstorableText } from "../../../src/store/engine/storable.ts"
import {
  bind,
  bound,
  changed,
  type Preparable,
  type QueryBuilder,
  query,
  type Statement,
  write,
} from "../../../src/store/engine/unit.ts"

const thing = sqliteTable("thing", {
  thingId: text("thing_id").primaryKey(),
  ownedBy: text("owned_by").notNull(),
  used: integer("used"),
})

let database: Database

function run(build: (db: QueryBuilder) => Preparable<unknown>, values: Record<string, unknown> = {}): unknown[] {
  return new SqliteStatements(database).of(query(build)).all(values)
}

beforeEach(() => {
  database = new Database(":memory:", { strict: true })
  database.run("CREATE TABLE thing (thing_id TEXT PRIMARY KEY, owned_by TEXT NOT NULL, used INTEGER) STRICT")
  database.run("INSERT INTO thing VALUES ('a', 'o', 1), ('b', 'o', NULL), ('c', 'p', 3)")
})
afterEach(() => database.close())

test("limits and other constants are part of the SQL text, and values of callers stay bound", () => {
  const build = (db: QueryBuilder) =>
    db
      .select({ thingId: thing.thingId })
      .from(thing)
      .where(eq(thing.ownedBy, bind("by")))
      .limit(1)
  const { text, bindings, isRead } = sqliteShape(query(build))
  expect(text).toEndWith('where "thing"."owned_by" = ? limit 1')
  expect(bindings.map(({ name }) => name)).toEqual(["by"])
  expect(isRead).toBe(true)
  expect(run(build, { by: "p" })).toEqual([{ thingId: "c" }])
  expect(run(build, { by: "p' OR '1'='1" })).toEqual([])
})

test("a constant with quotes stays one text", () => {
  const name = `it's "quoted"; DROP TABLE thing --`
  run((db) => db.insert(thing).values({ thingId: name, ownedBy: "q", used: 0 }).returning())
  const found = run((db) =>
    db
      .select()
      .from(thing)
      .where(inArray(thing.thingId, [name, "c"]))
      .orderBy(thing.thingId),
  )
  expect(found).toEqual([
    { thingId: "c", ownedBy: "p", used: 3 },
    { thingId: name, ownedBy: "q", used: 0 },
  ])
})

test("writes mix constants, nulls and bound values", () => {
  const inserted = run(
    (db) =>
      db
        .insert(thing)
        .values({ thingId: bind("id"), ownedBy: "z", used: null })
        .returning(),
    { id: "d" },
  )
  expect(inserted).toEqual([{ thingId: "d", ownedBy: "z", used: null }])
  const updated = run(
    (db) =>
      db
        .update(thing)
        .set({ used: 7, ownedBy: bound("by") })
        .where(eq(thing.thingId, bind("id")))
        .returning(),
    { id: "d", by: "it's" },
  )
  expect(updated).toEqual([{ thingId: "d", ownedBy: "it's", used: 7 }])
})

test("what no engine stores exactly is refused: no value, U+0000, a number that is no safe integer", () => {
  const build = (db: QueryBuilder) =>
    db
      .insert(thing)
      .values({ thingId: bind("id"), ownedBy: "z", used: bind("used") })
      .returning()
  expect(() => run(build, { id: "d" })).toThrow(new TypeError("no value for used"))
  expect(() => run(build, { id: "d\0", used: 1 })).toThrow(new UnstorableText("id"))
  for (const used of [2 ** 53, -(2 ** 53), 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => run(build, { id: "d", used })).toThrow(new TypeError("the number for used is no safe integer"))
  }
  expect(run(build, { id: "d", used: 2 ** 53 - 1 })).toEqual([{ thingId: "d", ownedBy: "z", used: 2 ** 53 - 1 }])
})

test("an expression without a declared type is refused when its statement is built", () => {
  const selected = (one: SQL) => run((db) => db.select({ one }).from(thing).limit(1))
  expect(() => selected(sql`1`)).toThrow(new TypeError("an expression without a declared type is selected: one"))
  expect(selected(isTrue(sql`1 = 1`))).toEqual([{ one: 1 }])
})

test("rows are the same as drizzle's own: of objects, of blobs, of expressions, of columns that are null", () => {
  database.run("CREATE TABLE part (part_id TEXT PRIMARY KEY, thing_id TEXT NOT NULL, bytes BLOB NOT NULL) STRICT")
  database.run("INSERT INTO part VALUES ('x', 'a', x'0102'), ('y', 'b', x'')")
  const part = sqliteTable("part", {
    partId: text("part_id").primaryKey(),
    thingId: text("thing_id").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
  })
  const statements: ((db: QueryBuilder) => Preparable<unknown>)[] = [
    (db) => db.select().from(thing).orderBy(thing.thingId),
    (db) => db.select().from(part).orderBy(part.partId),
    (db) => db.select({ all: count(), most: max(thing.used), one: sql`1`.mapWith(Number) }).from(thing),
    (db) => db.select({ thing, bytes: part.bytes }).from(thing).leftJoin(part, eq(part.thingId, thing.thingId)),
    (db) => db.select({ owner: thing.ownedBy, part }).from(thing).leftJoin(part, eq(part.thingId, thing.thingId)),
    (db) => db.select({ used: thing.used }).from(thing).where(eq(thing.thingId, "none")),
    (db) =>
      db
        .update(thing)
        .set({ ownedBy: "q" })
        .where(eq(thing.thingId, bind("id")))
        .returning(),
  ]
  const plain = drizzle({ client: database })
  for (const build of statements) {
    expect(run(build, { id: "a" })).toEqual(build(plain).prepare().all({ id: "a" }))
  }
})

test("a query is built once, and each connection has its own statement and rows", () => {
  let built = 0
  const owners = query((db) => {
    built++
    return db
      .select({ ownedBy: thing.ownedBy, used: thing.used })
      .from(thing)
      .where(eq(thing.thingId, bind("id")))
  })
  using other = new Database(":memory:", { strict: true })
  other.run("CREATE TABLE thing (thing_id TEXT PRIMARY KEY, owned_by TEXT NOT NULL, used INTEGER) STRICT")
  other.run("INSERT INTO thing VALUES ('a', 'somebody else', 7)")
  const [first, second] = [new SqliteStatements(database), new SqliteStatements(other)]
  expect(first.of(owners).all({ id: "a" })).toEqual([{ ownedBy: "o", used: 1 }])
  expect(second.of(owners).all({ id: "a" })).toEqual([{ ownedBy: "somebody else", used: 7 }])
  expect(second.of(owners)).toBe(second.of(owners))
  expect(first.of(owners).all({ id: "b" })).toEqual([{ ownedBy: "o", used: null }])
  expect(built).toBe(1)
})

test("a write without rows counts those that it inserted, updated or deleted", () => {
  const statements = new SqliteStatements(database)
  const insert = write((db) =>
    db
      .insert(thing)
      .values({ thingId: bind("id"), ownedBy: "q", used: null })
      .onConflictDoNothing(),
  )
  const update = write((db) =>
    db
      .update(thing)
      .set({ used: bound("used") })
      .where(eq(thing.ownedBy, bind("by"))),
  )
  const remove = write((db) => db.delete(thing).where(eq(thing.ownedBy, bind("by"))))
  const changedBy = (statement: typeof insert, values: Record<string, unknown>) => statements.of(statement).all(values)
  expect(changedBy(insert, { id: "d" })).toEqual([{ changed: 1 }])
  expect(changedBy(insert, { id: "d" })).toEqual([{ changed: 0 }])
  expect(changedBy(update, { by: "o", used: 5 })).toEqual([{ changed: 2 }])
  expect(changedBy(update, { by: "nobody", used: 5 })).toEqual([{ changed: 0 }])
  expect(changedBy(remove, { by: "o" })).toEqual([{ changed: 2 }])
  expect(database.query("SELECT thing_id FROM thing ORDER BY 1").values()).toEqual([["c"], ["d"]])
  expect(() => changedBy(update, { by: "q" })).toThrow("no value for used")
})

test("a unit receives the number of changed rows", () => {
  const remove = write((db) => db.delete(thing).where(eq(thing.ownedBy, bind("by"))))
  const statements = new SqliteStatements(database)
  const driver = {
    prepare: (one: Statement["query"]) => statements.of(one),
    holds: () => true,
    isClockRight: () => true,
  }
  expect(drive(changed(remove, { by: "o" }), driver)).toBe(2)
  expect(drive(changed(remove, { by: "o" }), driver)).toBe(0)
})

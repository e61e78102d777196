import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { count, eq, inArray, max, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/bun-sqlite"
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { drive } from "../../../src/store/engine/drive-unit.ts"
import { SqliteStatements, statementBuilder } from "../../../src/store/engine/sqlite/sqlite-statements.ts"
import { bind, bound, changed, query, type Statement, write } from "../../../src/store/engine/unit.ts"

const thing = sqliteTable("thing", {
  thingId: text("thing_id").primaryKey(),
  ownedBy: text("owned_by").notNull(),
  used: integer("used"),
})

let database: Database
let orm: ReturnType<typeof statementBuilder>

beforeEach(() => {
  database = new Database(":memory:", { strict: true })
  database.run("CREATE TABLE thing (thing_id TEXT PRIMARY KEY, owned_by TEXT NOT NULL, used INTEGER) STRICT")
  database.run("INSERT INTO thing VALUES ('a', 'o', 1), ('b', 'o', NULL), ('c', 'p', 3)")
  orm = statementBuilder(database)
})
afterEach(() => database.close())

test("limits and other constants are part of the SQL text, and values of callers stay bound", () => {
  const statement = orm
    .select({ thingId: thing.thingId })
    .from(thing)
    .where(eq(thing.ownedBy, bind("by")))
    .limit(1)
    .prepare()
  const { sql, params } = statement.getQuery()
  expect(sql).toEndWith('where "thing"."owned_by" = ? limit 1')
  expect(params).toHaveLength(1)
  expect(statement.all({ by: "p" })).toEqual([{ thingId: "c" }])
  expect(statement.all({ by: "p' OR '1'='1" })).toEqual([])
})

test("a constant with quotes stays one text", () => {
  const name = `it's "quoted"; DROP TABLE thing --`
  orm.insert(thing).values({ thingId: name, ownedBy: "q", used: 0 }).returning().prepare().all()
  const found = orm
    .select()
    .from(thing)
    .where(inArray(thing.thingId, [name, "c"]))
    .orderBy(thing.thingId)
    .prepare()
    .all()
  expect(found).toEqual([
    { thingId: "c", ownedBy: "p", used: 3 },
    { thingId: name, ownedBy: "q", used: 0 },
  ])
})

test("writes mix constants, nulls and bound values", () => {
  const insert = orm
    .insert(thing)
    .values({ thingId: bind("id"), ownedBy: "z", used: null })
    .returning()
    .prepare()
  expect(insert.all({ id: "d" })).toEqual([{ thingId: "d", ownedBy: "z", used: null }])
  const update = orm
    .update(thing)
    .set({ used: 7, ownedBy: bound("by") })
    .where(eq(thing.thingId, bind("id")))
    .returning()
    .prepare()
  expect(update.all({ id: "d", by: "it's" })).toEqual([{ thingId: "d", ownedBy: "it's", used: 7 }])
})

test("a missing value throws instead of becoming null", () => {
  const statement = orm
    .select()
    .from(thing)
    .where(eq(thing.thingId, bind("id")))
    .prepare()
  expect(() => statement.all({})).toThrow("id")
})

test("rows are the same as drizzle's own: of objects, of blobs, of expressions, of columns that are null", () => {
  database.run("CREATE TABLE part (part_id TEXT PRIMARY KEY, thing_id TEXT NOT NULL, bytes BLOB NOT NULL) STRICT")
  database.run("INSERT INTO part VALUES ('x', 'a', x'0102'), ('y', 'b', x'')")
  const part = sqliteTable("part", {
    partId: text("part_id").primaryKey(),
    thingId: text("thing_id").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
  })
  type Builder = Pick<typeof orm, "select" | "update">
  const statements = (db: Builder) => [
    db.select().from(thing).orderBy(thing.thingId).prepare(),
    db.select().from(part).orderBy(part.partId).prepare(),
    db
      .select({ all: count(), most: max(thing.used), one: sql<number>`1` })
      .from(thing)
      .prepare(),
    db.select({ thing, bytes: part.bytes }).from(thing).leftJoin(part, eq(part.thingId, thing.thingId)).prepare(),
    db.select({ used: thing.used }).from(thing).where(eq(thing.thingId, "none")).prepare(),
    db
      .update(thing)
      .set({ ownedBy: "q" })
      .where(eq(thing.thingId, bind("id")))
      .returning()
      .prepare(),
  ]
  const plain = statements(drizzle({ client: database }))
  for (const [at, statement] of statements(orm).entries()) {
    const found: unknown[] = statement.all({ id: "a" })
    expect(found).toEqual(plain[at]?.all({ id: "a" }) as unknown[])
  }
})

test("a query is built once, and each connection has its own statement and rows", () => {
  let built = 0
  const owners = query(() => {
    built++
    return orm
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
  const insert = write(() =>
    orm
      .insert(thing)
      .values({ thingId: bind("id"), ownedBy: "q", used: null })
      .onConflictDoNothing(),
  )
  const update = write(() =>
    orm
      .update(thing)
      .set({ used: bound("used") })
      .where(eq(thing.ownedBy, bind("by"))),
  )
  const remove = write(() => orm.delete(thing).where(eq(thing.ownedBy, bind("by"))))
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
  const remove = write(() => orm.delete(thing).where(eq(thing.ownedBy, bind("by"))))
  const statements = new SqliteStatements(database)
  const driver = { prepare: (one: Statement["query"]) => statements.of(one), holds: () => true }
  expect(drive(changed(remove, { by: "o" }), driver)).toBe(2)
  expect(drive(changed(remove, { by: "o" }), driver)).toBe(0)
})

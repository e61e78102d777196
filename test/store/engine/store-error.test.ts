import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { classify } from "../../../src/store/engine/sqlite/sqlite-code.ts"
import { ConstraintBroken, StoreUnavailable } from "../../../src/store/engine/store-error.ts"

function thrownBy(work: () => unknown): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}

const coded = (code: string, cause?: Error) => Object.assign(new Error("x", { cause }), { code })

test.each([
  ["SQLITE_BUSY", "BUSY"],
  ["SQLITE_BUSY_SNAPSHOT", "BUSY"],
  ["SQLITE_LOCKED_SHAREDCACHE", "BUSY"],
  ["SQLITE_PROTOCOL", "BUSY"],
  ["SQLITE_FULL", "FULL"],
  ["SQLITE_IOERR_FSYNC", "IO"],
  ["SQLITE_CANTOPEN_ISDIR", "IO"],
  ["SQLITE_READONLY_DBMOVED", "IO"],
] as const)("%s makes the store unavailable with reason %s", (code, reason) => {
  const error = coded(code)
  const classified = classify(error) as StoreUnavailable
  expect(classified).toBeInstanceOf(StoreUnavailable)
  expect(classified.reason).toBe(reason)
  expect(classified.cause).toBe(error)
})

test("an error code wrapped by the query builder is found", () => {
  const wrapped = new Error("query failed", { cause: coded("SQLITE_FULL") })
  expect((classify(wrapped) as StoreUnavailable).reason).toBe("FULL")
})

test.each([
  ["INSERT INTO child VALUES (1, 'a', 1)", "UNIQUE", "child"],
  ["INSERT INTO child VALUES (2, 'taken', 1)", "UNIQUE", "child"],
  ["INSERT INTO child VALUES (2, NULL, 1)", "NOT_NULL", "child"],
  ["INSERT INTO child VALUES (2, '', 1)", "CHECK", null],
  ["INSERT INTO child VALUES (2, 'b', 7)", "REFERENCE", null],
] as const)("%s breaks a constraint: %s of %s", (sql, kind, table) => {
  using database = new Database(":memory:", { strict: true })
  database.run("PRAGMA foreign_keys = ON")
  database.run("CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT")
  database.run(
    "CREATE TABLE child (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> ''), parent INTEGER REFERENCES parent) STRICT",
  )
  database.run("INSERT INTO parent VALUES (1)")
  database.run("INSERT INTO child VALUES (1, 'taken', 1)")
  const broken = thrownBy(() => database.run(sql))
  const classified = classify(broken)
  expect(classified).toBeInstanceOf(ConstraintBroken)
  expect(classified).toMatchObject({ kind, table, cause: broken, message: (broken as Error).message })
})

test.each([
  ["a constraint of another kind", coded("SQLITE_CONSTRAINT_TRIGGER")],
  ["a corrupt file", coded("SQLITE_CORRUPT")],
  ["another code", coded("ENOENT")],
  ["an error without a code", new Error("x")],
  ["no error at all", "thrown text"],
  ["undefined", undefined],
])("%s stays as it is", (_, error) => {
  expect(classify(error)).toBe(error)
})

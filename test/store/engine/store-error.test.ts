import { expect, test } from "bun:test"
import { classify } from "../../../src/store/engine/sqlite/sqlite-code.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"

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
  ["a broken constraint", coded("SQLITE_CONSTRAINT_UNIQUE")],
  ["a corrupt file", coded("SQLITE_CORRUPT")],
  ["another code", coded("ENOENT")],
  ["an error without a code", new Error("x")],
  ["no error at all", "thrown text"],
  ["undefined", undefined],
])("%s is rethrown unchanged as a bug", (_, error) => {
  expect(classify(error)).toBe(error)
})

import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BUSY_TIMEOUT_MS, openDatabase } from "../../db/open.ts"

test("a database is opened with the settings that durability depends on", () => {
  const directory = mkdtempSync(join(tmpdir(), "bizauth-open-"))
  const database = openDatabase(join(directory, "bizauth.db"))
  const pragma = (name: string) => Object.values(database.query(`PRAGMA ${name}`).get() as object)[0]
  expect(pragma("journal_mode")).toBe("wal")
  expect(pragma("synchronous")).toBe(2)
  expect(pragma("foreign_keys")).toBe(1)
  expect(pragma("busy_timeout")).toBe(BUSY_TIMEOUT_MS)
  database.close(true)
  rmSync(directory, { recursive: true, force: true })
})

test("a database that cannot use a write-ahead log is refused", () => {
  expect(() => openDatabase(":memory:")).toThrow("WAL")
})

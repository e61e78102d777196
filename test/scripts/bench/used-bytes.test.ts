import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { openDatabase } from "../../../db/open.ts"
import { usedBytes } from "../../../scripts/bench/purchase-costs.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const ROWS = 100
const ROW_BYTES = 10_000

test("counts the pages that rows of another connection take, also in the write-ahead log, and not those that they left", () => {
  using folder = freshDirectory()
  const path = join(folder.path, "a.db")
  const writer = openDatabase(path)
  writer.run("CREATE TABLE filled (value BLOB) STRICT")
  const reader = new Database(path, { readonly: true })
  const empty = usedBytes(reader)
  for (let row = 0; row < ROWS; row++) writer.run("INSERT INTO filled VALUES (randomblob(?1))", [ROW_BYTES])
  const full = usedBytes(reader)
  writer.run("DELETE FROM filled")
  const left = usedBytes(reader)
  reader.close()
  writer.close()
  expect((full - empty) / (ROWS * ROW_BYTES)).toBeWithin(1, 1.3)
  expect(left).toBe(empty)
})

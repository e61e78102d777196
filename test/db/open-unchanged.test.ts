/** A reader beside other processes leaves no file, and waits for what they do at their start. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../db/open.ts"
import { openUnchanged } from "../../db/open-unchanged.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { copyAsKilled, HAS_RECOVERY, recovering } from "../fixtures/wal-recovery.ts"

const directory = freshDirectory()
const at = (name: string) => join(directory.path, name)
const written = openDatabase(at("written.db"))
beforeAll(() => {
  written.run("CREATE TABLE row (number INTEGER)")
  written.run("INSERT INTO row VALUES (7)")
})
afterAll(() => {
  written.close(true)
  directory[Symbol.dispose]()
})

function rowsOf(path: string): unknown {
  const { database, close } = openUnchanged(path)
  try {
    return database.query("SELECT number FROM row").all()
  } finally {
    close()
  }
}

test("the log of a killed process is read from a copy, and nothing is left beside it", () => {
  copyAsKilled(at("written.db"), at("killed.db"))
  expect(rowsOf(at("killed.db"))).toEqual([{ number: 7 }])
  const names = readdirSync(directory.path).filter((name) => name.startsWith("killed"))
  expect(names.sort()).toEqual(["killed.db", "killed.db-wal"])
})

test.skipIf(!HAS_RECOVERY)("a reader waits while another process recovers the log of a killed one", async () => {
  copyAsKilled(at("written.db"), at("read.db"))
  await using _ = await recovering(at("read.db"), 300)
  expect(rowsOf(at("read.db"))).toEqual([{ number: 7 }])
})

/** A backup beside other processes waits for what they do at their start. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { openDatabase } from "../../../db/open.ts"
import { copyDatabase } from "../../../src/data/backup/copy-database.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { copyAsKilled, HAS_RECOVERY, recovering } from "../../fixtures/wal-recovery.ts"

test.skipIf(!HAS_RECOVERY)("a copy waits while another process recovers the log of a killed one", async () => {
  using directory = freshDirectory()
  const at = (name: string) => join(directory.path, name)
  const written = openDatabase(at("written.db"))
  written.run("CREATE TABLE row (number INTEGER)")
  written.run("INSERT INTO row VALUES (7)")
  copyAsKilled(at("written.db"), at("killed.db"))
  written.close(true)
  await using _ = await recovering(at("killed.db"), 300)
  copyDatabase(at("killed.db"), at("copy.db"))
  using copy = new Database(at("copy.db"), { readonly: true })
  expect(copy.query("SELECT number FROM row").all()).toEqual([{ number: 7 }])
})

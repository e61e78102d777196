/** Another process that exports the active SDN list repeatedly, as archive and as folder, and prints each name after it was written. */
import { writeSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../db/open.ts"
import { exportSnapshot } from "../../src/sources/import/export-snapshot.ts"
import { LIST_ROWS } from "../../src/sources/records/list-rows.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { activeSnapshot } from "../../src/store/sources/sources.ts"

const [database = "", root = "", out = ""] = process.argv.slice(2)
const store = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
const row = await store.read(() => activeSnapshot("US_OFAC_SDN"))
if (!row) throw new Error("no active list")
for (let at = 0; ; at++) {
  const name = at % 2 === 0 ? `${at}.tar` : String(at)
  exportSnapshot({ root, row, licence: LIST_ROWS.US_OFAC_SDN.licence }, join(out, name), null)
  writeSync(1, `${name}\n`)
}

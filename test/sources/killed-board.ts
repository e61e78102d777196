/**
 * A service's board that builds a large index and kills itself (SIGKILL) with its file durable and before its row is written, if the point is
 * `before-row`.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../db/open.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { INDEX_FOLDER } from "../../src/sources/boards/index-file.ts"
import { boardByRounds } from "../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { deathAt, watchedStore } from "../fixtures/watched-store.ts"

const [point = "", database = "", snapshotsDirectory = ""] = process.argv.slice(2)

const dieAt = deathAt(point)
const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
const indexes = () => readdirSync(join(snapshotsDirectory, INDEX_FOLDER)).filter((name) => name.endsWith(".index"))
const before = indexes().length
/** Once its file is written, the board reads whether the sources are still the same. */
const read: Store["read"] = (unit) => {
  if (indexes().length > before) dieAt("before-row")
  return real.read(unit)
}
const store = { ...watchedStore(real, {}), read }
const log = createLog("error", (line) => process.stderr.write(line), realMachine.now)
const machine = realMachine
await boardByRounds({
  store,
  snapshotsDirectory,
  machine,
  log,
  sources: REQUIRED_US_SOURCES,
  name: "US",
  disabled: [],
})
await store.close()

/**
 * A service's board that builds a large index and kills itself (SIGKILL) at one named point: `before-row` with the file durable,
 * `after-row` before the file of the replaced row is removed.
 */
import { openDatabase } from "../../db/open.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { boardByRounds } from "../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { deathAt, watchedStore } from "../fixtures/watched-store.ts"

const [point = "", database = "", snapshotsDirectory = ""] = process.argv.slice(2)

const dieAt = deathAt(point)
const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
// The board's first unit that writes is the one for its new file.
const store = watchedStore(real, { before: () => dieAt("before-row"), after: () => dieAt("after-row") })
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

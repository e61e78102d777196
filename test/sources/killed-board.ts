/**
 * A service's board that has to build a large index, and is killed (SIGKILL, by itself) at one named point: `before-row` with the file
 * durable, `after-row` before the file of the row that was replaced is removed.
 */
import { openDatabase } from "../../db/open.ts"
import { createLog } from "../../src/log.ts"
import { realMachine } from "../../src/machine.ts"
import { boardByRounds } from "../../src/sources/lists/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { SqliteStore } from "../../src/store/sqlite-store.ts"
import { deathAt, watchedStore } from "../fixtures/watched-store.ts"

const [point = "", database = "", snapshotsDirectory = ""] = process.argv.slice(2)

const dieAt = deathAt(point)
const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
// The first writing unit of a board is that of the file it wrote.
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

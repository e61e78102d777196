/**
 * A service's board that builds a large index and kills itself (SIGKILL) at a point: `before-row`, its file is durable and its row is not
 * written; `after-row`, the row is written and no file is removed.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { plugin } from "bun"
import { openDatabase } from "../../db/open.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { INDEX_FOLDER } from "../../src/sources/boards/index-file.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { deathAt, watchedStore } from "../fixtures/watched-store.ts"

const [point = "", database = "", snapshotsDirectory = ""] = process.argv.slice(2)

/** The statement that writes the row. It is synchronous, so no other process can end this one right after it. */
const WRITES_ROW = "writeIn(root, rowName(row.board, row.key), [JSON.stringify(row)])"
plugin({
  name: "death after the row",
  setup(build) {
    build.onLoad({ filter: /\/boards\/saved-index\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8")
      if (!source.includes(WRITES_ROW)) throw new Error(`${path} has no ${WRITES_ROW}`)
      const death = point === "after-row" ? 'process.kill(process.pid, "SIGKILL")' : ""
      return { loader: "ts", contents: source.replace(WRITES_ROW, `${WRITES_ROW}\n${death}`) }
    })
  },
})
const { boardByRounds } = await import("../../src/sources/boards/open-board.ts")

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

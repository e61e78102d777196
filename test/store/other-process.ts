/**
 * A second process on the same file. `hold` takes the write lock, prints a line, and releases the lock when a line arrives. `write`
 * commits `count` units of its scope through a SqliteStore and prints each nonce after its acknowledgement; a thread makes checkpoints.
 * `own` opens the file as a command does, and writes until the store refuses; then it prints the error and what a read gives.
 */
import { writeSync } from "node:fs"
import { openDatabase } from "../../db/open.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { checkpoints } from "../../src/store/engine/sqlite/checkpoints.ts"
import { LogSync } from "../../src/store/engine/sqlite/log-sync.ts"
import { openSqlite } from "../../src/store/engine/sqlite/sqlite-engine.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { list, put } from "./nonce-rows.ts"

const [mode, path = "", scope = "", count = "0"] = process.argv.slice(2)
const database = openDatabase(path)
const onFatal = (error: unknown) => {
  throw error
}

if (mode === "hold") {
  database.run("BEGIN IMMEDIATE")
  writeSync(1, "locked\n")
  for await (const _line of console) break
  database.run("COMMIT")
  database.close()
} else if (mode === "own") {
  database.close()
  const { store } = openSqlite(path, { onFatal })
  let refused: unknown = null
  for (let i = 0; refused === null && i < Number(count); i++) {
    const writing = store.run(() => put(String(i), scope))
    const line = await writing.catch((error: unknown) => {
      refused = error
      return String(error)
    })
    writeSync(1, `${line}\n`)
  }
  const read = await store.read(() => list(scope)).catch(String)
  writeSync(1, `${read}\n`)
  await store.close()
} else {
  const store = new SqliteStore(database, onFatal, { durability: LogSync.of(database) })
  const moving = checkpoints({
    database,
    machine: realMachine,
    log: createLog("error", (line) => writeSync(2, line), realMachine.now),
    pagesMin: 20,
    everyMs: 1,
  })
  moving.start()
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let i = writer; i < Number(count); i += 16) writeSync(1, `${await store.run(() => put(String(i), scope))}\n`)
  })
  await Promise.all(writers)
  await moving.stop()
  await store.close()
}

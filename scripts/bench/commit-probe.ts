/**
 * `commit-probe.ts FILE`: one synced commit every 100 ms, with the settings of the service, until SIGTERM. Then prints their times in ms as
 * JSON.
 */
import { Database } from "bun:sqlite"

const COMMIT_EVERY_MS = 100
const database = new Database(process.argv[2] ?? "", { create: true })
database.run("PRAGMA journal_mode = WAL")
database.run("PRAGMA synchronous = FULL")
database.run("CREATE TABLE t (v TEXT)")
const took: number[] = []
const timer = setInterval(() => {
  const started = performance.now()
  database.run("INSERT INTO t VALUES ('a row of a commit')")
  took.push(performance.now() - started)
}, COMMIT_EVERY_MS)
process.on("SIGTERM", () => {
  clearInterval(timer)
  database.close(true)
  process.stdout.write(JSON.stringify(took))
})

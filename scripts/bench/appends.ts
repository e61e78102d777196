/** Measures how fast the log appends key events. */
import { randomBytes } from "node:crypto"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { appendKeyEvent } from "../../src/store/log/transparency-log.ts"
import { fillerId } from "./fill.ts"

/** Concurrent units: as many as the enrolments that a busy server collects between two commits. */
const WAITING = 32

/** Appends key events of new agents, each in its own durable unit. Nothing else may use the database. */
export async function measureAppends(path: string, milliseconds: number): Promise<number> {
  const database = openDatabase(path)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const run = randomBytes(4).readUInt32LE()
  let appended = 0
  const started = performance.now()
  const work = async () => {
    while (performance.now() - started < milliseconds) {
      const agentId = fillerId(-(run * 1000 + appended++))
      const digest = `sha256:${randomBytes(32).toString("hex")}`
      await store.run(() => appendKeyEvent(agentId, digest))
    }
  }
  await Promise.all(Array.from({ length: WAITING }, work))
  const perSecond = appended / ((performance.now() - started) / 1000)
  await store.close()
  return perSecond
}

import type { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { checkpoints, LOG_PAGES_MAX } from "../../../../src/store/engine/sqlite/checkpoints.ts"
import { until } from "../../../fixtures/until.ts"
import { list, put } from "../../nonce-rows.ts"
import { type Bench, bench, STILL } from "../../store-bench.ts"

const PAGES_MIN = 50

interface LogSize {
  /** Pages in the write-ahead log. */
  readonly log: number
  /** Those of them that are in the database file. */
  readonly checkpointed: number
}

function sizeOf(database: Database): LogSize {
  const { log, checkpointed } = database.query("PRAGMA wal_checkpoint(NOOP)").get() as LogSize
  return { log, checkpointed }
}

/** Commits units until so many pages are in the log. */
async function fill({ store, database }: Bench, pages: number): Promise<void> {
  for (let n = sizeOf(database).log; sizeOf(database).log < pages; n++) await store.run(() => put(`n${n}`))
}

/** With checkpoints every millisecond. `lines`: what they log. */
function withCheckpoints(
  use: (bench: Bench, lines: Record<string, unknown>[]) => Promise<void>,
  thread?: string,
): () => Promise<void> {
  return bench(async (opened) => {
    const lines: Record<string, unknown>[] = []
    const log = createLog("debug", (line) => void lines.push(JSON.parse(line)), realMachine.now)
    const { database } = opened
    const parts = { database, machine: realMachine, log, pagesMin: PAGES_MIN, everyMs: 1 }
    const rounds = checkpoints({ ...parts, ...(thread !== undefined && { thread }) })
    rounds.start()
    try {
      await use(opened, lines)
    } finally {
      await rounds.stop()
    }
  }, STILL)
}

test(
  "a thread moves the log to the database file, while units and reads go on",
  withCheckpoints(async (opened, lines) => {
    const { store, database } = opened
    await fill(opened, 4 * PAGES_MIN)
    await until("the thread has moved pages", () => sizeOf(database).checkpointed >= PAGES_MIN)
    await store.run(() => put("after"))
    expect(await store.read(() => list())).toContain("after")
    expect(lines).toEqual([])
  }),
)

test(
  "the log begins anew when all of it was moved",
  withCheckpoints(async (opened) => {
    const { store, database } = opened
    await fill(opened, 2 * PAGES_MIN)
    await until("all is moved or little is left", () => {
      const { log, checkpointed } = sizeOf(database)
      return log - checkpointed < PAGES_MIN
    })
    database.run("PRAGMA wal_checkpoint(PASSIVE)")
    await store.run(() => put("first of a new log"))
    expect(sizeOf(database).log).toBeLessThan(PAGES_MIN)
  }),
)

test(
  "a short log is left alone",
  withCheckpoints(async (opened) => {
    const { database } = opened
    await fill(opened, PAGES_MIN / 2)
    await Bun.sleep(50)
    expect(sizeOf(database).checkpointed).toBe(0)
  }),
)

test(
  "a COMMIT makes no checkpoint before the log is full",
  withCheckpoints(async ({ database }) => {
    expect(database.query("PRAGMA wal_autocheckpoint").get()).toEqual({ wal_autocheckpoint: LOG_PAGES_MAX })
  }),
)

test(
  "a thread that fails is logged and replaced, and units go on",
  withCheckpoints(
    async (opened, lines) => {
      const { store, database } = opened
      await fill(opened, 2 * PAGES_MIN)
      await until("three rounds have failed", () => lines.length >= 3)
      expect(lines[0]).toMatchObject({ event: "worker_failed", worker: "checkpoint" })
      expect(String(lines[0]?.["message"])).toMatch(/the thread failed: .*no checkpoint today/s)
      expect(await store.run(() => put("after"))).toBe("after")
      expect(sizeOf(database).checkpointed).toBe(0)
    },
    join(import.meta.dir, "failing-thread.ts"),
  ),
)

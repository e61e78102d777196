/**
 * Moves commits from the write-ahead log to the database file in a thread. By itself SQLite does that within a COMMIT: the main thread would
 * answer no request until a thousand pages are on the disk. (sqlite.org/wal.html, checkpointing)
 */
import type { Database } from "bun:sqlite"
import type { Log } from "../../../base/log.ts"
import type { Machine } from "../../../base/machine.ts"
import { runTask } from "../../../base/thread-task.ts"
import { periodic, type Worker as Rounds } from "../../../base/worker.ts"

declare const BUILD_TARGET: string | undefined

/** A checkpoint syncs two files, so it waits for this many pages. */
const PAGES_MIN = 1_000
/**
 * Pages (64 MiB). At this size a COMMIT moves what the thread has left, and the log begins anew: SQLite lets only a writer do that, and only
 * when nothing is left.
 */
export const LOG_PAGES_MAX = 16_384
const EVERY_MS = 100
/** Many times the duration for a full log. A thread that needs longer hangs. */
const CHECKPOINT_MS_MAX = 60_000

/** In the compiled file the modules lie in its root folder; the entry points lie below it as in `src`. */
const THREAD = new URL(
  typeof BUILD_TARGET === "string" ? "./store/engine/sqlite/checkpoint-thread.ts" : "./checkpoint-thread.ts",
  import.meta.url,
).href

interface CheckpointParts {
  /** The connection that writes. */
  readonly database: Database
  readonly machine: Pick<Machine, "after">
  readonly log: Log
  /** Entry point of the thread. */
  readonly thread?: string
  /** Pages in the log that begin a checkpoint. */
  readonly pagesMin?: number
  readonly everyMs?: number
}

/** The thread begins with the first checkpoint. A round that fails is logged; then a COMMIT moves the log when it is full. */
export function checkpoints(parts: CheckpointParts): Rounds {
  const { database, thread = THREAD, pagesMin = PAGES_MIN, everyMs = EVERY_MS } = parts
  const size = database.query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
  const checkpointThread = new CheckpointThread(thread)

  async function round(): Promise<void> {
    const found = size.get()
    if (found === null || found.log - found.checkpointed < pagesMin) return
    await checkpointThread.run(database.filename)
  }

  const rounds = periodic("checkpoint", everyMs, round, parts)
  return {
    name: rounds.name,
    start() {
      database.run(`PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`)
      rounds.start()
    },
    async stop() {
      await rounds.stop()
      checkpointThread.end()
      size.finalize()
    },
  }
}

class CheckpointThread {
  private worker: Worker | null = null

  constructor(private readonly entry: string) {}

  /** Rejects with the reason if the thread throws, dies or takes too long; the next call starts another one. */
  async run(path: string): Promise<void> {
    this.worker ??= new Worker(this.entry)
    try {
      await runTask(this.worker, path, { msMax: CHECKPOINT_MS_MAX })
    } catch (error) {
      this.end()
      throw error
    }
  }

  end(): void {
    this.worker?.terminate()
    this.worker = null
  }
}

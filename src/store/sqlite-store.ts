/**
 * Group commit on one SQLite file. Units queued in the same turn share one transaction and one fsync, each in its own savepoint. A caller
 * gets success only after COMMIT. Several processes may share the file; a timer retries when the lock is busy.
 */
import type { Database } from "bun:sqlite"
import { BUSY_TIMEOUT_MS } from "../../db/open.ts"
import { realMachine, type Timers } from "../machine.ts"
import { CommitCount } from "./commit-count.ts"
import { drive } from "./drive-unit.ts"
import { SharedReads } from "./shared-reads.ts"
import { SqliteStatements } from "./sqlite-statements.ts"
import { CommitOutcomeUnknown, classify, StoreClosed, StoreUnavailable } from "./store-error.ts"
import type { Prepared, Statement, Store, Unit } from "./unit.ts"

export const BATCH_UNITS_MAX = 128
/** After this long a batch accepts no further units, so that no writer holds the lock much over 20 ms. */
export const BATCH_MS_MAX = 12
/** A batch begins at the latest after this time. */
export const GATHER_MS_MAX = 3
export const BUSY_WAIT_MS_MAX = 5_000
/** Above this limit a new unit gets BUSY immediately, because a wait behind thousands of others helps nobody. */
export const QUEUE_UNITS_MAX = 10_000
interface Job {
  readonly unit: () => Unit<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly queuedAt: number
  /** Set when another unit's error ended its batch. It runs once more, alone. */
  alone: boolean
}

/** Wrapped, because a unit may throw any value, also `undefined`. */
interface Lost {
  readonly error: unknown
}

export class SqliteStore implements Store {
  private queue: Job[] = []
  private armed = false
  /** The last try found the lock taken, and jobs wait for it. */
  private waiting = false
  /** Why the store accepts no further work. */
  private ended: Error | null = null
  private closing: Promise<void> | null = null
  private readonly commits: CommitCount
  private readonly sharedReads: SharedReads

  constructor(
    private readonly database: Database,
    /** Called when a COMMIT failed with an unknown outcome. The process must end and recover from disk. */
    private readonly onFatal: (error: unknown) => void,
    private readonly timers: Timers = realMachine,
    private readonly statements = new SqliteStatements(database),
  ) {
    // A savepoint keeps the pages that its unit changes. By default SQLite writes those of each unit to a temporary file, which takes half of
    // all writing. Nothing of it is read after a crash.
    database.run("PRAGMA temp_store = MEMORY")
    this.commits = new CommitCount(database)
    const view = {
      begin: () => this.beginSharedRead(),
      version: () => this.commits.now(),
      run: <T>(unit: Unit<T>) => this.readOnView(unit),
      end: () => this.endRead(),
    }
    this.sharedReads = new SharedReads(view, timers)
  }

  run<T>(unit: () => Unit<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.ended) return reject(this.ended)
      if (this.queue.length >= QUEUE_UNITS_MAX) return reject(new StoreUnavailable("BUSY"))
      this.queue.push({
        unit,
        resolve: resolve as (value: unknown) => void,
        reject,
        queuedAt: this.timers.monotonic(),
        alone: false,
      })
      this.arm()
    })
  }

  async read<T>(unit: () => Unit<T>): Promise<T> {
    if (this.ended) throw this.ended
    this.beginRead()
    try {
      return this.readOnView(unit())
    } finally {
      this.endRead()
    }
  }

  readTogether<T>(unit: (version: number) => Unit<T>): Promise<T> {
    return this.ended ? Promise.reject(this.ended) : this.sharedReads.add(unit)
  }

  /** INVARIANT: every commit of this connection goes through {@link run}. */
  version(): number {
    if (this.ended) throw this.ended
    return this.commits.now()
  }

  close(): Promise<void> {
    this.ended ??= new StoreClosed()
    this.closing ??= this.drainAndClose()
    return this.closing
  }

  private async drainAndClose(): Promise<void> {
    while (this.queue.length > 0 || this.sharedReads.isWaiting) {
      await new Promise<void>((done) => void this.timers.after(1, done))
    }
    this.statements.clear()
    try {
      this.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } finally {
      // Forced, so that prepared statements do not keep the file and its write-ahead log open.
      this.database.close(true)
    }
  }

  private arm(delayMs = 0): void {
    if (this.armed) return
    this.armed = true
    if (delayMs > 0) this.timers.after(delayMs, () => this.fire())
    else this.gather(this.queue.length, this.timers.monotonic())
  }

  /** Waits while each turn of the event loop brings further units: they share one fsync, which takes longer than several units. */
  private gather(count: number, since: number): void {
    this.timers.soon(() => {
      const { length } = this.queue
      const isGrowing = length > count && length < BATCH_UNITS_MAX
      if (isGrowing && this.timers.monotonic() - since < GATHER_MS_MAX) this.gather(length, since)
      else this.fire()
    })
  }

  private fire(): void {
    this.armed = false
    this.flush()
    if (this.queue.length > 0) this.arm()
  }

  private flush(): void {
    try {
      this.begin()
    } catch (error) {
      this.notBegun(error)
      return
    }
    const started = this.timers.monotonic()
    const done: (() => void)[] = []
    const taken: Job[] = []
    while (taken.length < BATCH_UNITS_MAX && this.queue.length > 0) {
      if (taken.length > 0 && this.timers.monotonic() - started > BATCH_MS_MAX) break
      const job = this.queue.shift()
      if (!job) break
      taken.push(job)
      const lost = this.attempt(job, done)
      if (lost) {
        this.batchLost(taken, job, lost.error)
        return
      }
      if (job.alone) break
    }
    this.commit(taken, done)
  }

  /** Only the first try waits inside SQLite, which blocks the event loop. Later tries do not wait; a timer repeats them. */
  private begin(): void {
    if (!this.waiting) {
      this.database.run("BEGIN IMMEDIATE")
      return
    }
    this.database.run("PRAGMA busy_timeout = 0")
    try {
      this.database.run("BEGIN IMMEDIATE")
      this.waiting = false
    } finally {
      this.database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  /** Separate from the unit's own try: a BEGIN refused inside an open batch must not end that batch. */
  private beginRead(): void {
    try {
      this.database.run("BEGIN")
    } catch (error) {
      throw classify(error)
    }
  }

  /** Reads that waited when the store was closed still run, like units. */
  private beginSharedRead(): void {
    if (this.ended !== null && !(this.ended instanceof StoreClosed)) throw this.ended
    this.beginRead()
  }

  private readOnView<T>(unit: Unit<T>): T {
    try {
      return drive(unit, (query) => this.readStatement(query))
    } catch (error) {
      throw classify(error)
    }
  }

  private endRead(): void {
    if (this.database.inTransaction) this.database.run("ROLLBACK")
  }

  private notBegun(error: unknown): void {
    const failure = classify(error)
    const busy = failure instanceof StoreUnavailable && failure.reason === "BUSY"
    const now = this.timers.monotonic()
    const waiting: Job[] = []
    for (const job of this.queue) {
      if (busy && now - job.queuedAt < BUSY_WAIT_MS_MAX) waiting.push(job)
      else job.reject(failure)
    }
    this.queue = waiting
    this.waiting = waiting.length > 0
    // Spread by queue length rather than at random: two processes rarely have equal queues.
    if (this.waiting) this.arm(5 + (waiting.length % 7))
  }

  /** Runs one unit in its savepoint. Returns the error when the whole transaction is lost with it. */
  private attempt(job: Job, done: (() => void)[]): Lost | null {
    try {
      this.database.run("SAVEPOINT unit")
      const value = drive(job.unit(), (query) => this.statements.of(query))
      this.database.run("RELEASE unit")
      done.push(() => job.resolve(value))
    } catch (error) {
      if (!this.undoUnit()) return { error }
      done.push(() => job.reject(classify(error)))
    }
    return null
  }

  /** False when the transaction is gone: SQLite ended it (a full disk does this), or the savepoint could not be restored. */
  private undoUnit(): boolean {
    if (!this.database.inTransaction) return false
    try {
      this.database.run("ROLLBACK TO unit")
      this.database.run("RELEASE unit")
      return true
    } catch {
      // The caller reports the first error. This one only means that its SAVEPOINT never existed.
      this.rollBack()
      return false
    }
  }

  /** No generator of this batch resumes. The culprit gets the first error; each other unit runs once more, alone. */
  private batchLost(taken: readonly Job[], culprit: Job, error: unknown): void {
    culprit.reject(classify(error))
    const others = taken.filter((job) => job !== culprit)
    for (const job of others) job.alone = true
    this.queue = [...others, ...this.queue]
  }

  private commit(taken: readonly Job[], done: readonly (() => void)[]): void {
    try {
      this.database.run("COMMIT")
      this.commits.committed()
    } catch (error) {
      this.rollBack()
      const failure = classify(error)
      // INVARIANT: only BUSY and FULL prove that nothing was written. After a failed fsync the pages may or may not be on the disk.
      if (failure instanceof StoreUnavailable && failure.reason !== "IO") {
        for (const job of taken) job.reject(failure)
      } else this.end(error, taken)
      return
    }
    for (const tell of done) tell()
  }

  private rollBack(): void {
    if (this.database.inTransaction) this.database.run("ROLLBACK")
  }

  private end(error: unknown, taken: readonly Job[]): void {
    const unknown = new CommitOutcomeUnknown({ cause: error })
    this.ended = unknown
    for (const job of [...taken, ...this.queue]) job.reject(unknown)
    this.queue = []
    this.onFatal(error)
  }

  private readStatement(query: Statement["query"]): Prepared<unknown> {
    const prepared = this.statements.of(query)
    if (!prepared.getQuery().sql.startsWith("select ")) throw new TypeError("a read unit only reads")
    return prepared
  }
}

/**
 * Group commit on one SQLite file. Units queued in the same turn share one transaction. If one of them throws, all run once more, each in its
 * own savepoint. A caller gets success only when the commit is on the disk, and a reader gets only what is there. Several processes may share
 * the file; a timer retries when the lock is busy.
 */
import type { Database } from "bun:sqlite"
import { BUSY_TIMEOUT_MS } from "../../../../db/open.ts"
import { realMachine, type Timers } from "../../../base/machine.ts"
import { drive } from "../drive-unit.ts"
import { QUEUE_UNITS_MAX } from "../limits.ts"
import { CommitOutcomeUnknown, StoreClosed, StoreUnavailable } from "../store-error.ts"
import type { Statement, Store, Unit } from "../unit.ts"
import { CommitCount } from "./commit-count.ts"
import { type Durability, type Settle, SYNCED_BY_COMMIT } from "./log-sync.ts"
import { SharedReads } from "./shared-reads.ts"
import { classify } from "./sqlite-code.ts"
import { SqliteStatements } from "./sqlite-statements.ts"
import { SqliteView } from "./sqlite-view.ts"

export const BATCH_UNITS_MAX = 128
/** After this long a batch accepts no further units, so that no writer holds the lock much over 20 ms. */
export const BATCH_MS_MAX = 12
export const BUSY_WAIT_MS_MAX = 5_000

interface Job {
  readonly unit: () => Unit<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly queuedAt: number
  /** Runs only while the open database is the one at its path. */
  readonly inPlace: boolean
  /** Set when a unit of its batch threw. It runs once more, in a savepoint: a unit rarely throws, and savepoints copy each changed page. */
  guarded: boolean
  /** Set when another unit's error ended its batch although it was guarded. It runs once more, alone. */
  alone: boolean
}

/** Each belongs to the same connection. */
interface StoreParts {
  readonly timers?: Timers
  readonly statements?: SqliteStatements
  readonly durability?: Durability
  /** Returns whether the files of the open database are at their paths. Default: always. */
  readonly isInPlace?: () => boolean
  /** Throws if this program must not use the schema of the database. No work passes a migration of another process without it. Default: never. */
  readonly requireSchema?: () => void
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
  private readonly timers: Timers
  private readonly statements: SqliteStatements
  /** Of units that write: each holds every order, because no other unit writes meanwhile. */
  private readonly driver = {
    prepare: (query: Statement["query"]) => this.statements.of(query),
    holds: () => true,
    isClockRight: () => true,
  }
  private readonly durability: Durability
  private readonly isInPlace: () => boolean
  private readonly commits: CommitCount
  private readonly view: SqliteView
  private readonly sharedReads: SharedReads

  constructor(
    private readonly database: Database,
    /** Called when a COMMIT failed with an unknown outcome. The process must end and recover from disk. */
    private readonly onFatal: (error: unknown) => void,
    parts: StoreParts = {},
  ) {
    // A savepoint keeps the pages that its unit changes. By default SQLite writes those of each unit to a temporary file, which takes half of
    // all writing. Nothing of it is read after a crash.
    database.run("PRAGMA temp_store = MEMORY")
    this.timers = parts.timers ?? realMachine
    this.statements = parts.statements ?? new SqliteStatements(database)
    this.durability = parts.durability ?? SYNCED_BY_COMMIT
    this.isInPlace = parts.isInPlace ?? (() => true)
    this.commits = new CommitCount(database, parts.requireSchema ?? (() => {}))
    this.view = new SqliteView(database, this.statements, this.commits, this.durability)
    this.durability.onFailure((failure) => this.end(failure))
    this.sharedReads = new SharedReads(this.view, this.timers)
  }

  run<T>(unit: () => Unit<T>): Promise<T> {
    return this.add(unit, false)
  }

  runInPlace<T>(unit: () => Unit<T>): Promise<T> {
    return this.add(unit, true)
  }

  private add<T>(unit: () => Unit<T>, inPlace: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.ended) return reject(this.ended)
      if (this.queue.length + this.durability.waiting >= QUEUE_UNITS_MAX) return reject(new StoreUnavailable("BUSY"))
      this.queue.push({
        ...{ unit, inPlace, reject, guarded: false, alone: false },
        resolve: resolve as (value: unknown) => void,
        queuedAt: this.timers.monotonic(),
      })
      this.arm()
    })
  }

  read<T>(unit: () => Unit<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.ended) throw this.ended
      const value = this.view.once(unit)
      this.durability.whenDurable([(failure) => (failure === null ? resolve(value) : reject(failure))])
    })
  }

  readTogether<T>(unit: (version: number) => Unit<T>): Promise<T> {
    return this.ended ? Promise.reject(this.ended) : this.sharedReads.add(unit)
  }

  /** INVARIANT: every commit of this connection goes through {@link run}. */
  version(): number {
    if (this.ended) throw this.ended
    const version = this.view.version()
    return this.durability.isReached ? version : Number.NaN
  }

  close(): Promise<void> {
    this.ended ??= new StoreClosed()
    this.closing ??= this.drainAndClose()
    return this.closing
  }

  private async drainAndClose(): Promise<void> {
    while (this.queue.length > 0 || this.sharedReads.isWaiting || this.durability.waiting > 0) {
      await new Promise<void>((done) => void this.timers.after(1, done))
    }
    this.statements.clear()
    try {
      this.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } finally {
      this.durability.close()
      // Forced, so that prepared statements do not keep the file and its write-ahead log open.
      this.database.close(true)
    }
  }

  private arm(delayMs = 0): void {
    if (this.armed) return
    this.armed = true
    const fire = () => {
      this.armed = false
      this.flush()
      if (this.queue.length > 0) this.arm()
    }
    if (delayMs > 0) this.timers.after(delayMs, fire)
    else this.timers.soon(fire)
  }

  private flush(): void {
    try {
      this.begin()
      // INVARIANT: another process may have migrated the database until now, and none can while this transaction is open.
      this.commits.now()
    } catch (error) {
      this.rollBack()
      this.notBegun(error)
      return
    }
    const started = this.timers.monotonic()
    const done: Settle[] = []
    const taken: Job[] = []
    while (taken.length < BATCH_UNITS_MAX && this.queue.length > 0) {
      if (taken.length > 0 && this.timers.monotonic() - started > BATCH_MS_MAX) break
      const job = this.queue.shift()
      if (!job) break
      if (job.inPlace && !this.isInPlace()) {
        job.reject(new StoreUnavailable("MOVED"))
        continue
      }
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

  private notBegun(error: unknown): void {
    const failure = classify(error, this.database.filename)
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

  /** Runs one unit. Returns the error when the whole transaction is lost with it. */
  private attempt(job: Job, done: Settle[]): Lost | null {
    const { guarded } = job
    try {
      if (guarded) this.database.run("SAVEPOINT unit")
      const value = drive(job.unit(), this.driver)
      if (guarded) this.database.run("RELEASE unit")
      done.push((failure) => (failure === null ? job.resolve(value) : job.reject(failure)))
    } catch (error) {
      if (!guarded || !this.undoUnit()) return { error }
      done.push((failure) => job.reject(failure ?? classify(error, this.database.filename)))
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

  /**
   * No generator of this batch resumes. If the culprit was not guarded and not alone, all run once more, guarded. Otherwise the culprit gets
   * the first error, and each other unit runs once more, alone.
   */
  private batchLost(taken: readonly Job[], culprit: Job, error: unknown): void {
    this.rollBack()
    if (!culprit.guarded && taken.length > 1) {
      for (const job of taken) job.guarded = true
      this.queue = [...taken, ...this.queue]
      return
    }
    this.durability.whenDurable([(failure) => culprit.reject(failure ?? classify(error, this.database.filename))])
    const others = taken.filter((job) => job !== culprit)
    for (const job of others) job.alone = true
    this.queue = [...others, ...this.queue]
  }

  private commit(taken: readonly Job[], done: readonly Settle[]): void {
    try {
      this.database.run("COMMIT")
      this.durability.saw(this.commits.committed())
    } catch (error) {
      this.rollBack()
      const failure = classify(error, this.database.filename)
      // INVARIANT: only BUSY and FULL prove that nothing was written. After a failed fsync the pages may or may not be on the disk.
      if (failure instanceof StoreUnavailable && failure.reason !== "IO") {
        for (const job of taken) job.reject(failure)
      } else {
        const unknown = new CommitOutcomeUnknown({ cause: error })
        this.end(unknown)
        for (const job of taken) job.reject(unknown)
      }
      return
    }
    this.durability.whenDurable(done)
  }

  private rollBack(): void {
    if (this.database.inTransaction) this.database.run("ROLLBACK")
  }

  /** The process must end and read the outcome from the file. */
  private end(unknown: CommitOutcomeUnknown): void {
    this.ended = unknown
    this.view.stop(unknown)
    for (const job of this.queue) job.reject(unknown)
    this.queue = []
    this.onFatal(unknown.cause)
  }
}

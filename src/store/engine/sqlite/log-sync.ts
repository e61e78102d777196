/**
 * Brings commits to the disk while the event loop goes on. With `synchronous = NORMAL` SQLite writes a commit to its write-ahead log (WAL)
 * and does not wait for the disk. A thread of the runtime then syncs the log: one sync covers all commits before it, and the next one begins
 * when it has ended. After a power failure SQLite finds the commits up to some point and none after it, because the log is a chain of
 * checksums. (sqlite.org/wal.html)
 */
import type { Database } from "bun:sqlite"
import { closeSync, fdatasync, openSync } from "node:fs"
import { CommitOutcomeUnknown } from "../store-error.ts"

/** Receives null when everything before is on the disk. */
export type Settle = (failure: CommitOutcomeUnknown | null) => void

/** Knows when the commits that a connection has made or read are on the disk. */
export interface Durability {
  /** How many callers wait. */
  readonly waiting: number
  /** Whether the newest version that the connection saw is on the disk. */
  readonly isReached: boolean
  /** The connection has read or committed this version of the database (`Store.version`). */
  saw(version: number): void
  /** Calls all of them once the newest version that the connection saw is on the disk; immediately if it is. */
  whenDurable(settles: readonly Settle[]): void
  /** `listener` is called at the first failure, before those who wait. From then on nothing is known to be on the disk. */
  onFailure(listener: (failure: CommitOutcomeUnknown) => void): void
  /** Call it when nobody waits. */
  close(): void
}

/** For a connection whose COMMIT waits for the disk (`synchronous = FULL`), or that has no write-ahead log. */
export const SYNCED_BY_COMMIT: Durability = {
  waiting: 0,
  isReached: true,
  saw() {},
  whenDurable: (settles) => settleAll(settles, null),
  onFailure() {},
  close() {},
}

/** Syncs a file and then calls back. */
export type Sync = (descriptor: number, done: (error: Error | null) => void) => void

export class LogSync implements Durability {
  waiting = 0
  private version = -1
  /** A version was seen that no sync covers. It may be a commit of another process, which has not synced it yet. */
  private isAhead = false
  /** Callers that the next sync covers. */
  private later: Settle[] = []
  /** Callers that the sync under way covers; null: there is none. */
  private covered: Settle[] | null = null
  private descriptor: number | null = null
  private failure: CommitOutcomeUnknown | null = null
  private listener: (failure: CommitOutcomeUnknown) => void = () => {}

  /** `path` of the database. Its log exists as soon as a connection has read. */
  constructor(
    private readonly path: string,
    private readonly sync: Sync = fdatasync,
  ) {}

  /** Takes over the syncs of this connection to a database in WAL mode. */
  static of(database: Database, sync?: Sync): LogSync {
    database.run("PRAGMA synchronous = NORMAL")
    return new LogSync(database.filename, sync)
  }

  get isReached(): boolean {
    return this.failure === null && !this.isAhead && this.covered === null
  }

  saw(version: number): void {
    if (version === this.version) return
    this.version = version
    this.isAhead = true
  }

  whenDurable(settles: readonly Settle[]): void {
    if (this.failure !== null || this.isReached) settleAll(settles, this.failure)
    else this.wait(settles)
  }

  onFailure(listener: (failure: CommitOutcomeUnknown) => void): void {
    this.listener = listener
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
  }

  private wait(settles: readonly Settle[]): void {
    this.waiting += settles.length
    const list = this.isAhead || this.covered === null ? this.later : this.covered
    list.push(...settles)
    this.begin()
  }

  private begin(): void {
    if (this.covered !== null || !this.isAhead) return
    const covered = this.later
    this.later = []
    this.covered = covered
    this.isAhead = false
    try {
      this.descriptor ??= openSync(`${this.path}-wal`, "r+")
      this.sync(this.descriptor, (error) => (error === null ? this.synced(covered) : this.failed(error)))
    } catch (error) {
      this.failed(error)
    }
  }

  private synced(covered: readonly Settle[]): void {
    this.covered = null
    this.begin()
    this.settle(covered, null)
  }

  /** After a failed sync the system may have dropped the pages, and a later sync would succeed without them. */
  private failed(cause: unknown): void {
    const failure = new CommitOutcomeUnknown({ cause })
    const all = [...(this.covered ?? []), ...this.later]
    this.failure = failure
    this.covered = null
    this.later = []
    this.listener(failure)
    this.settle(all, failure)
  }

  private settle(settles: readonly Settle[], failure: CommitOutcomeUnknown | null): void {
    this.waiting -= settles.length
    settleAll(settles, failure)
  }
}

function settleAll(settles: readonly Settle[], failure: CommitOutcomeUnknown | null): void {
  for (const settle of settles) settle(failure)
}

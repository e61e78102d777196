/**
 * The only door to a database: what a data directory needs of the engine that keeps it. Code outside `store/engine` asks these questions and
 * never which engine answers.
 */
import type { MigrationWatch } from "../../../db/applied-migrations.ts"
import type { Migration } from "../../../db/migrations.ts"
import type { Log } from "../../base/log.ts"
import type { LongWork } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import type { Check } from "../../base/readiness.ts"
import type { Worker } from "../../base/worker.ts"
import type { SeenLog, Watched } from "../log/shorter-log.ts"
import type { ServerClock } from "./clock.ts"
import type { Store } from "./unit.ts"

export interface EngineOptions {
  /** See SqliteStore. */
  readonly onFatal: (error: unknown) => void
  /** Migrations of this binary; tests pass their own. */
  readonly known?: readonly Migration[]
  /** Is compared with the clock of a server. Default: the real one; a test gives one that is wrong. */
  readonly clock?: Pick<Machine, "now">
}

/** A database that has just got the whole schema. */
export interface CreatedDatabase {
  readonly store: Store
  readonly names: DatabaseNames
  /** Number of migrations that it has. */
  readonly schema: number
}

/** A migration of this binary that the database does not have. */
interface PendingMigration {
  readonly ordinal: number
  readonly name: string
}

/** `FOREIGN`: it has tables, but no release of this program made them. */
export type Contents = "OWN" | "FOREIGN" | "EMPTY"

/** How a message to the operator names the database, and what to do with it. */
export interface DatabaseNames {
  /** The path of a file, or database and host of a server. */
  readonly name: string
  /** Its newest state, such as a file with its log. */
  readonly newest: string
  /** What to do when the newest state is lost: a sentence without its end. */
  readonly ifLost: string
  /** What mends a log that is behind, for `check`. */
  readonly mend: string
  /** What to remove before another `init`. */
  readonly remains: (directory: string) => string
}

/** What the connections to a server did and do, for metrics. */
export interface ServerCounts {
  /** Open now. */
  readonly connections: number
  /** Most transactions that may run side by side now. */
  readonly width: number
  /** Units that are accepted and have no outcome yet. */
  readonly waiting: number
  readonly committed: number
  /** Transactions that ran again because they met another one, by the server's code. */
  readonly repeats: Readonly<Record<string, number>>
  readonly lostConnections: number
  /** Commits without an answer, each of which is found out later. */
  readonly lostOutcomes: number
}

/**
 * Runs `work` while no other process, on any machine, runs work of this name. Null at once if another one does. If the connection to the server breaks
 * meanwhile, another process may begin before `work` ends.
 */
export type Exclusive = <T>(name: string, work: () => Promise<T>) => Promise<{ readonly value: T } | null>

/** A database that is open. Its schema may be older than this binary; then nothing uses `store` before {@link Engine.migrate}. */
export interface Engine {
  /** Opens at the first use. Its `close` closes the engine too. */
  readonly store: Store
  readonly names: DatabaseNames
  /** Processes on other machines may use the database, so a start makes no keys: only `init` does. */
  readonly isShared: boolean
  /** Null if it is not shared: lock files exclude the processes of one machine. */
  readonly exclusive: Exclusive | null
  /** Null: no server keeps the database. */
  serverCounts(): ServerCounts | null
  /** Null: no server keeps the database, and every process has the clock of this machine. */
  serverClock(): ServerClock | null
  contents(): Promise<Contents>
  /** A value of the table `meta`, whatever the schema; null also without that table. */
  metaBefore(name: string): Promise<string | null>
  /** Oldest first. Rejects with SchemaMismatch for a database of another release. */
  pendingMigrations(): Promise<readonly PendingMigration[]>
  /** Keeps the database as it is before the migration `ordinal`, and returns where. Null: its server keeps the copies. */
  copyBefore(ordinal: number, work: LongWork): Promise<string | null>
  /**
   * Applies them, oldest first, and returns their names. If one fails, SQLite has none of them, and PostgreSQL has those before it. `appliedAt` is
   * an RFC 3339 instant.
   */
  migrate(appliedAt: string, watch?: MigrationWatch): Promise<readonly string[]>
  /** Whether the open database is the one at its place. See {@link Store.runInPlace}. */
  isInPlace(): boolean
  /** What this process saw of the transparency log. Null: no other server can take the place of the one that keeps the database. */
  readonly witness: SeenLog | null
  /** Runs the unit of this name in `shorter-log.ts`, also while the server waits for a standby. Null as {@link witness}. */
  readonly noteShorterLog: ((watched: Watched) => Promise<boolean>) | null
  /** Changes with every commit of another process. Unlike {@link Store.version} it may stay the same after a commit of this one. */
  othersVersion(): number | Promise<number>
  /** Readiness checks of this engine alone. */
  checks(log: Log): readonly Check[]
  /** Background work of this engine alone. It stops before the store closes. */
  workers(parts: { readonly machine: Pick<Machine, "sleep" | "after">; readonly log: Log }): readonly Worker[]
  /** Closes an engine whose database cannot be used, at once. */
  abandon(): void
}

/** A database that is only read. Nothing changes in it or beside it, and no process that writes it notices. */
export interface ReadOnlyDatabase {
  readonly names: DatabaseNames
  /** Needs every migration of this binary for what it reads. */
  readonly store: Pick<Store, "read">
  /** As {@link Engine.pendingMigrations}. */
  pendingMigrations(): Promise<readonly PendingMigration[]>
  /** Bytes of the tables and indexes on the disk of this machine, without a log of writes. Null: a server keeps them. */
  bytes(): number | null
  close(): void
}

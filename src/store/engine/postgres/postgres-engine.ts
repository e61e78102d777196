/** PostgreSQL as an engine: a server that any number of processes share. */
import { hash } from "node:crypto"
import type { ReservedSQL } from "bun"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
import { INSTANCE_ALIVE_MS } from "../../../../db/instance-alive.ts"
import {
  migratePostgres,
  pendingPostgresMigrations,
  postgresContents,
  takeSchema,
  useSchema,
} from "../../../../db/postgres/migrate-postgres.ts"
import type { Log } from "../../../base/log.ts"
import type { Check, Reason } from "../../../base/readiness.ts"
import { periodic, type Worker } from "../../../base/worker.ts"
import { MINUTE, SECOND } from "../../../core/time.ts"
import { noteShorterLog, type SeenLog, type ShorterLog, shorterLogText, type Watched } from "../../log/shorter-log.ts"
import { metaValue } from "../../meta.ts"
import { SELLING_OFFSET_MS_MAX, type ServerClock } from "../clock.ts"
import type { Contents, DatabaseNames, Engine, Exclusive, ServerCounts } from "../engine.ts"
import { DatabaseRefused, StoreUnavailable } from "../store-error.ts"
import { MOVED_TO } from "../tables.ts"
import { PostgresFault } from "./postgres-fault.ts"
import type { PostgresStore } from "./postgres-store.ts"
import { inTime, type Reserve } from "./primary.ts"
import { sequencing } from "./sequencing.ts"
import { ENDED_IF_CUT_OFF, settingsOf } from "./session-settings.ts"
import { runOutside } from "./unit-outside.ts"

const PURGE_EVERY_MS = 10 * MINUTE
/** How often the worker checks the connection that holds the lock of the schema. */
const CHECK_EVERY_MS = 5 * SECOND
const WATCH_LOG_MS = SECOND
/** How often the worker tries again to share the schema while another process changes it. */
const SCHEMA_TAKEN_MS = 250

/** Tells these locks from other locks of the database. */
const WORK_LOCKS = 1_651_075_681
/** The connection is idle while it keeps a lock. */
const WHILE_LOCKED: Readonly<Record<string, string>> = { idle_session_timeout: "0", ...ENDED_IF_CUT_OFF }

type WorkerParts = Parameters<Engine["workers"]>[0]

export class PostgresEngine implements Engine {
  private opened: PostgresStore | null = null

  constructor(
    readonly names: DatabaseNames,
    private readonly onPrimary: <T>(use: (reserve: Reserve) => Promise<T>) => Promise<T>,
    private readonly openStore: () => PostgresStore,
  ) {}

  get store(): PostgresStore {
    this.opened ??= this.openStore()
    return this.opened
  }

  get isShared(): boolean {
    return true
  }

  /** A lock of the session, on a connection of its own. It ends with the connection. */
  readonly exclusive: Exclusive = (name, work) =>
    this.onOwnConnection(async (connection) => {
      await inTime(connection.unsafe(settingsOf(WHILE_LOCKED)).simple())
      const lock = `${WORK_LOCKS}, ${numberOf(name)}`
      const [{ free }] = await inTime(connection.unsafe(`SELECT pg_try_advisory_lock(${lock}) AS free`))
      if (!free) return null
      try {
        return { value: await work() }
      } finally {
        // If this fails, closing the connection releases the lock, but not at once.
        await inTime(connection.unsafe(`SELECT pg_advisory_unlock(${lock})`)).catch(() => {})
      }
    })

  serverCounts(): ServerCounts {
    return this.store.counts
  }

  serverClock(): ServerClock {
    return this.store.clock
  }

  contents(): Promise<Contents> {
    return this.onOwnConnection((connection) => inTime(postgresContents(connection)))
  }

  metaBefore(name: string): Promise<string | null> {
    return this.onOwnConnection(async (connection) => {
      const [{ meta }] = await inTime(connection.unsafe("SELECT to_regclass('meta')::text AS meta"))
      if (meta === null) return null
      const [row] = await inTime(connection.unsafe("SELECT value FROM meta WHERE name = $1", [name]))
      return row?.value ?? null
    })
  }

  pendingMigrations() {
    return this.onOwnConnection((connection) => inTime(pendingPostgresMigrations(connection)))
  }

  /** The server's own backups are the copies. */
  async copyBefore(): Promise<null> {
    return null
  }

  migrate(appliedAt: string, watch?: MigrationWatch): Promise<readonly string[]> {
    return this.onOwnConnection((connection) => migratePostgres(connection, appliedAt, undefined, watch))
  }

  get witness(): SeenLog {
    return this.store.witness
  }

  /** It reads the log again: this connection may lead to another server than the one that lacks the leaves. */
  readonly noteShorterLog = (watched: Watched): Promise<boolean> =>
    this.onOwnConnection((connection) => inTime(runOutside(connection, noteShorterLog(watched))))

  /** The database has no path from which it could be moved. */
  isInPlace(): boolean {
    return true
  }

  othersVersion(): Promise<number> {
    return this.store.version()
  }

  /** That the database accepts writes is checked for every engine. */
  checks(log: Log): readonly Check[] {
    return [this.clockCheck(log), this.movedCheck(log)]
  }

  private clockCheck(log: Log): Check {
    let wasRight = true
    const reasons = async () => {
      // Another check says that the server does not answer.
      await this.store.measureClock().catch((error: unknown) => {
        if (!(error instanceof PostgresFault)) throw error
      })
      const { isRight, offsetMs } = this.store.clock
      if (isRight !== wasRight)
        log.warn("clock_compared", { seconds_ahead: (offsetMs ?? 0) / SECOND, is_right: isRight })
      wasRight = isRight
      return offsetMs !== null && Math.abs(offsetMs) > SELLING_OFFSET_MS_MAX ? [CLOCK_DIFFERS] : []
    }
    return { name: "clock", reasons }
  }

  /** Only a process that began before a move, or whose connection ended during it, can meet its mark. */
  private movedCheck(log: Log): Check {
    let isKnown = false
    const reasons = async () => {
      const isMoved = (await this.store.read(() => metaValue(MOVED_TO)).catch(unlessUnavailable)) !== null
      if (isMoved && !isKnown) log.error("database_moved", { database: this.names.name })
      isKnown = isMoved
      return isMoved ? [DATABASE_MOVED] : []
    }
    return { name: "database moved", reasons }
  }

  workers(parts: WorkerParts): readonly Worker[] {
    return [
      periodic("unit outcomes", PURGE_EVERY_MS, () => this.store.purgeOutcomes(), parts),
      this.schemaUse(parts),
      sequencing(this.store, parts),
      this.logWatch(parts),
    ]
  }

  /**
   * Sees every second what others append to the log, and what they found out about it. A log that lacks leaves is noted once for all processes on the
   * database: each has seen another part of it.
   */
  private logWatch({ machine, log }: WorkerParts): Worker {
    let isLogged = false
    let isNoted = false
    const { witness } = this.store
    const logOnce = (shorter: ShorterLog) => {
      if (isLogged) return
      isLogged = true
      log.error("log_shorter", {
        seen: shorter.seen,
        found: shorter.found,
        database: this.names.name,
        why: shorterLogText(shorter),
        way_out: "docs/runbook.md, DATABASE_LOG_SHORTER",
      })
    }
    const round = async () => {
      if (witness.found === null) {
        await this.store.watchLog().catch((error: unknown) => {
          if (witness.found === null) throw error
        })
      }
      if (witness.found === null) return
      logOnce(witness.found)
      if (isNoted) return
      isNoted = await this.noteShorterLog(witness)
    }
    return periodic("log witness", WATCH_LOG_MS, round, { machine, log, atOnce: true })
  }

  /** Keeps every process from migrating while this one serves: a connection of its own holds a lock. If it is lost, the next round takes another. */
  private schemaUse(parts: WorkerParts): Worker {
    const stopped = Promise.withResolvers<void>()
    const hold = async (connection: ReservedSQL) => {
      await inTime(connection.unsafe(settingsOf(WHILE_LOCKED)).simple())
      while (!(await inTime(useSchema(connection)))) await parts.machine.sleep(SCHEMA_TAKEN_MS)
      for (;;) {
        await parts.machine.sleep(CHECK_EVERY_MS)
        await inTime(connection.unsafe("SELECT 1"))
      }
    }
    const round = () => this.onOwnConnection((connection) => Promise.race([stopped.promise, hold(connection)]))
    const worker = periodic("schema in use", CHECK_EVERY_MS, round, { ...parts, atOnce: true })
    const stop = () => {
      stopped.resolve()
      return worker.stop()
    }
    return { ...worker, stop }
  }

  /** Nothing is open before the store is. */
  abandon(): void {
    void this.opened?.close()
  }

  /** Runs `use` with a connection outside the store, which ends with it. */
  onOwnConnection<T>(use: (connection: ReservedSQL) => Promise<T>): Promise<T> {
    return this.onPrimary(async (reserve) => use(await reserve()))
  }

  /** The same while no process serves from the database, and none migrates it. Rejects with {@link DatabaseRefused} if one does. */
  alone<T>(use: (connection: ReservedSQL) => Promise<T>): Promise<T> {
    return this.onOwnConnection(async (connection) => {
      const others = await takeSchema(connection)
      if (others === null) return use(connection)
      const who = others.length === 0 ? "another process" : others.join(", ")
      throw new DatabaseRefused(
        `${this.names.name} is in use: bizauth is connected from ${who}. Stop every service on it first; one that was killed counts for ${INSTANCE_ALIVE_MS / SECOND} seconds`,
      )
    })
  }
}

/** Other checks report a database that cannot be read. */
function unlessUnavailable(error: unknown): null {
  if (error instanceof StoreUnavailable) return null
  throw error
}

const DATABASE_MOVED: Reason = {
  code: "DATABASE_MOVED",
  detail: "The database was moved to another place; the operator must change the configuration of this server.",
}

const CLOCK_DIFFERS: Reason = {
  code: "CLOCK_DIFFERS",
  detail: "The clock of this process and that of the database server differ by more than two seconds.",
}

/** Of a name, 32 bits with a sign. */
function numberOf(name: string): number {
  return Buffer.from(hash("sha256", name, "buffer")).readInt32BE()
}

/** PostgreSQL as an engine: a server that any number of processes share. */
import { hash } from "node:crypto"
import type { ReservedSQL } from "bun"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
import {
  migratePostgres,
  pendingPostgresMigrations,
  postgresContents,
  useSchema,
} from "../../../../db/postgres/migrate-postgres.ts"
import { realMachine } from "../../../base/machine.ts"
import type { Check } from "../../../base/readiness.ts"
import { periodic, type Worker } from "../../../base/worker.ts"
import { MINUTE, SECOND } from "../../../core/time.ts"
import type { Contents, DatabaseNames, Engine, Exclusive, ServerCounts } from "../engine.ts"
import { DEADLINE_MS } from "./connection.ts"
import type { PostgresStore } from "./postgres-store.ts"
import type { Reserve } from "./primary.ts"
import { sequencing } from "./sequencing.ts"
import { settingsOf } from "./session-settings.ts"

const PURGE_EVERY_MS = 10 * MINUTE
/** How often the worker checks the connection that holds the lock of the schema. */
const CHECK_EVERY_MS = 5 * SECOND

/** Tells these locks from other locks of the database. */
const WORK_LOCKS = 1_651_075_681
/** The connection is idle while the work runs. If its machine is cut off, the server ends it, and with it the lock, within 15 seconds. */
const WHILE_LOCKED: Readonly<Record<string, string>> = {
  idle_session_timeout: "0",
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "5",
}

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
    this.reserved(async (connection) => {
      await connection.unsafe(settingsOf(WHILE_LOCKED)).simple()
      const lock = `${WORK_LOCKS}, ${numberOf(name)}`
      const [{ free }] = await connection.unsafe(`SELECT pg_try_advisory_lock(${lock}) AS free`)
      if (!free) return null
      try {
        return { value: await work() }
      } finally {
        // Closing the connection releases it too, but not at once.
        await answered(connection.unsafe(`SELECT pg_advisory_unlock(${lock})`))
      }
    })

  serverCounts(): ServerCounts {
    return this.store.counts
  }

  contents(): Promise<Contents> {
    return this.reserved((connection) => postgresContents(connection))
  }

  metaBefore(name: string): Promise<string | null> {
    return this.reserved(async (connection) => {
      const [{ meta }] = await connection.unsafe("SELECT to_regclass('meta')::text AS meta")
      if (meta === null) return null
      const [row] = await connection.unsafe("SELECT value FROM meta WHERE name = $1", [name])
      return row?.value ?? null
    })
  }

  pendingMigrations() {
    return this.reserved((connection) => pendingPostgresMigrations(connection))
  }

  /** The server's own backups are the copies. */
  async copyBefore(): Promise<null> {
    return null
  }

  migrate(appliedAt: string, watch?: MigrationWatch): Promise<readonly string[]> {
    return this.reserved((connection) => migratePostgres(connection, appliedAt, undefined, watch))
  }

  /** The database has no path from which it could be moved. */
  isInPlace(): boolean {
    return true
  }

  othersVersion(): Promise<number> {
    return this.store.version()
  }

  /** That the database accepts writes is checked for every engine. */
  checks(): readonly Check[] {
    return []
  }

  workers(parts: WorkerParts): readonly Worker[] {
    return [
      periodic("unit outcomes", PURGE_EVERY_MS, () => this.store.purgeOutcomes(), parts),
      this.schemaUse(parts),
      sequencing(this.store, parts),
    ]
  }

  /** Keeps every process from migrating while this one serves: a connection of its own holds a lock. If it is lost, the next round takes another. */
  private schemaUse(parts: WorkerParts): Worker {
    const stopped = Promise.withResolvers<void>()
    const hold = async (connection: ReservedSQL) => {
      await useSchema(connection)
      for (;;) {
        await parts.machine.sleep(CHECK_EVERY_MS)
        await connection.unsafe("SELECT 1")
      }
    }
    const round = () => this.reserved((connection) => Promise.race([stopped.promise, hold(connection)]))
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

  private reserved<T>(use: (connection: ReservedSQL) => Promise<T>): Promise<T> {
    return this.onPrimary(async (reserve) => use(await reserve()))
  }
}

/** Resolves with the answer, or without one after the deadline, because a server behind a cut network never answers. */
function answered(query: PromiseLike<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = realMachine.after(DEADLINE_MS, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    query.then(end, end)
  })
}

/** Of a name, 32 bits with a sign. */
function numberOf(name: string): number {
  return Buffer.from(hash("sha256", name, "buffer")).readInt32BE()
}

/** PostgreSQL as an engine: a server that any number of processes share. */
import type { ReservedSQL } from "bun"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
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
import { metaValue } from "../../meta.ts"
import type { Contents, DatabaseNames, Engine, ServerCounts } from "../engine.ts"
import { DatabaseRefused, StoreUnavailable } from "../store-error.ts"
import type { PostgresStore } from "./postgres-store.ts"
import type { Reserve } from "./primary.ts"
import { sequencing } from "./sequencing.ts"

const PURGE_EVERY_MS = 10 * MINUTE
/** How often the worker checks the connection that holds the lock of the schema. */
const CHECK_EVERY_MS = 5 * SECOND

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

  serverCounts(): ServerCounts {
    return this.store.counts
  }

  contents(): Promise<Contents> {
    return this.onOwnConnection((connection) => postgresContents(connection))
  }

  metaBefore(name: string): Promise<string | null> {
    return this.onOwnConnection(async (connection) => {
      const [{ meta }] = await connection.unsafe("SELECT to_regclass('meta')::text AS meta")
      if (meta === null) return null
      const [row] = await connection.unsafe("SELECT value FROM meta WHERE name = $1", [name])
      return row?.value ?? null
    })
  }

  pendingMigrations() {
    return this.onOwnConnection((connection) => pendingPostgresMigrations(connection))
  }

  /** The server's own backups are the copies. */
  async copyBefore(): Promise<null> {
    return null
  }

  migrate(appliedAt: string, watch?: MigrationWatch): Promise<readonly string[]> {
    return this.onOwnConnection((connection) => migratePostgres(connection, appliedAt, undefined, watch))
  }

  /** The database has no path from which it could be moved. */
  isInPlace(): boolean {
    return true
  }

  othersVersion(): Promise<number> {
    return this.store.version()
  }

  /** Only a process that began before a move, or whose connection ended during it, can meet its mark. */
  checks(log: Log): readonly Check[] {
    let isKnown = false
    const reasons = async () => {
      const isMoved = (await this.store.read(() => metaValue("moved_to")).catch(unlessUnavailable)) !== null
      if (isMoved && !isKnown) log.error("database_moved", { database: this.names.name })
      isKnown = isMoved
      return isMoved ? [DATABASE_MOVED] : []
    }
    return [{ name: "database moved", reasons }]
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
        `${this.names.name} is in use: bizauth is connected from ${who}. Stop every service on it first`,
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

/** PostgreSQL as an engine: a server that any number of processes share. */
import type { ReservedSQL } from "bun"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
import {
  migratePostgres,
  pendingPostgresMigrations,
  postgresContents,
  useSchema,
} from "../../../../db/postgres/migrate-postgres.ts"
import type { Log } from "../../../base/log.ts"
import type { Check, Reason } from "../../../base/readiness.ts"
import { periodic, type Worker } from "../../../base/worker.ts"
import { MINUTE, SECOND } from "../../../core/time.ts"
import { SELLING_OFFSET_MS_MAX, type ServerClock } from "../clock.ts"
import type { Contents, DatabaseNames, Engine, ServerCounts } from "../engine.ts"
import { PostgresFault } from "./postgres-fault.ts"
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

  serverClock(): ServerClock {
    return this.store.clock
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
  checks(log: Log): readonly Check[] {
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
    return [{ name: "clock", reasons }]
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

const CLOCK_DIFFERS: Reason = {
  code: "CLOCK_DIFFERS",
  detail: "The clock of this process and that of the database server differ by more than two seconds.",
}

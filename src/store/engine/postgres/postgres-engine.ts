/** PostgreSQL as an engine: a server that any number of processes share. */
import type { ReservedSQL } from "bun"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
import {
  migratePostgres,
  pendingPostgresMigrations,
  postgresContents,
  useSchema,
} from "../../../../db/postgres/migrate-postgres.ts"
import type { Check } from "../../../base/readiness.ts"
import { periodic, type Worker } from "../../../base/worker.ts"
import { MINUTE, SECOND } from "../../../core/time.ts"
import { type SeenLog, SHORTER_LOG, type ShorterLog, shorterLogText } from "../../log/shorter-log.ts"
import type { Contents, DatabaseNames, Engine, ServerCounts } from "../engine.ts"
import type { PostgresStore } from "./postgres-store.ts"
import type { Reserve } from "./primary.ts"
import { sequencing } from "./sequencing.ts"

const PURGE_EVERY_MS = 10 * MINUTE
/** How often the worker checks the connection that holds the lock of the schema. */
const CHECK_EVERY_MS = 5 * SECOND
const WATCH_LOG_MS = SECOND
const NOTE = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"

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

  get witness(): SeenLog {
    return this.store.witness
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
      this.logWatch(parts),
    ]
  }

  /**
   * Sees every second what others append to the log, and what they found out about it. A log that lacks leaves is noted once for all processes on the
   * database: each has seen another part of it.
   */
  private logWatch({ machine, log }: WorkerParts): Worker {
    let isTold = false
    let isNoted = false
    const { witness } = this.store
    const tell = (shorter: ShorterLog) => {
      isTold = true
      log.error("log_shorter", {
        seen: shorter.seen,
        found: shorter.found,
        database: this.names.name,
        why: shorterLogText(shorter),
        way_out: "docs/runbook.md, DATABASE_LOG_SHORTER",
      })
    }
    const note = async (shorter: ShorterLog) => {
      await this.reserved((connection) => connection.unsafe(NOTE, [SHORTER_LOG, JSON.stringify(shorter)]))
      isNoted = true
    }
    const round = async () => {
      if (witness.found === null) {
        await this.store.watchLog().catch((error: unknown) => {
          if (witness.found === null) throw error
        })
      }
      if (witness.found === null) return
      if (!isTold) tell(witness.found)
      if (!isNoted) await note(witness.found)
    }
    return periodic("log witness", WATCH_LOG_MS, round, { machine, log })
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

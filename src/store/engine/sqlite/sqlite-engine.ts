/** SQLite as an engine: one file in a data directory, which several processes may share. */
import type { Database } from "bun:sqlite"
import { dirname } from "node:path"
import type { MigrationWatch } from "../../../../db/applied-migrations.ts"
import { migrate, pendingMigrations } from "../../../../db/migrate.ts"
import { type Migration, migrations } from "../../../../db/migrations.ts"
import { openDatabase } from "../../../../db/open.ts"
import type { Log } from "../../../base/log.ts"
import type { LongWork } from "../../../base/long-work.ts"
import type { Check } from "../../../base/readiness.ts"
import type { Worker } from "../../../base/worker.ts"
import { atFirstUse } from "../../../core/at-first-use.ts"
import type { Contents, DatabaseNames, Engine, EngineOptions } from "../engine.ts"
import type { Store } from "../unit.ts"
import { checkpoints } from "./checkpoints.ts"
import { copyBefore } from "./copy-before.ts"
import { databaseFileCheck, type FileIdentity, fileIdentity, grownIdentity, isInPlace } from "./database-identity.ts"
import { fileNames } from "./file-names.ts"
import { schemaCheck } from "./known-schema.ts"
import { LogSync } from "./log-sync.ts"
import { SqliteStore } from "./sqlite-store.ts"

/** Opens the database file of `path`. Throws the errors of SQLite and of the operating system. */
export function openSqlite(path: string, { onFatal, known = migrations }: EngineOptions): SqliteEngine {
  // Before the file is opened, because another could be put in its place meanwhile.
  const files = [fileIdentity(dirname(path)), grownIdentity(path)]
  return new SqliteEngine(openDatabase(path), files, { onFatal, known })
}

export class SqliteEngine implements Engine {
  private readonly opened = atFirstUse(() => this.openStore())
  private readonly dataVersion = atFirstUse(() =>
    this.database.query<{ data_version: number }, []>("PRAGMA data_version"),
  )

  constructor(
    /** The connection that writes. */
    readonly database: Database,
    /** Directory, database and, as soon as the store is open, write-ahead log. */
    private files: readonly FileIdentity[],
    private readonly options: Required<Omit<EngineOptions, "clock">>,
  ) {}

  get store(): Store {
    return this.opened()
  }

  get names(): DatabaseNames {
    return fileNames(this.database.filename)
  }

  /** Only processes of this machine open the file. */
  get isShared(): boolean {
    return false
  }

  get exclusive(): null {
    return null
  }

  serverCounts(): null {
    return null
  }

  serverClock(): null {
    return null
  }

  async contents(): Promise<Contents> {
    const query = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    const tables = this.database.query<{ name: string }, []>(query).all()
    if (tables.some(({ name }) => name === "schema_migration")) return "OWN"
    return tables.length > 0 ? "FOREIGN" : "EMPTY"
  }

  async metaBefore(name: string): Promise<string | null> {
    const tables = this.database.query("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get()
    if (tables === null) return null
    const query = "SELECT value FROM meta WHERE name = ?1"
    return this.database.query<{ value: string }, [string]>(query).get(name)?.value ?? null
  }

  async pendingMigrations(): Promise<readonly Migration[]> {
    return pendingMigrations(this.database, this.options.known)
  }

  async copyBefore(ordinal: number, work: LongWork): Promise<string> {
    return copyBefore(this.database, ordinal, work)
  }

  async migrate(appliedAt: string, watch?: MigrationWatch): Promise<readonly string[]> {
    return migrate(this.database, appliedAt, this.options.known, watch?.applied)
  }

  /** A file that replaces this one is noticed by {@link isInPlace}. */
  get witness(): null {
    return null
  }

  get noteShorterLog(): null {
    return null
  }

  isInPlace(): boolean {
    return this.files.every(isInPlace)
  }

  /** SQLite counts every commit but those of the connection that asks. */
  othersVersion(): number {
    return this.dataVersion().get()?.data_version ?? 0
  }

  checks(log: Log): readonly Check[] {
    return [databaseFileCheck(this.files, log)]
  }

  workers(parts: Parameters<Engine["workers"]>[0]): readonly Worker[] {
    return [checkpoints({ database: this.database, ...parts })]
  }

  abandon(): void {
    this.database.close(false)
  }

  /**
   * A COMMIT of the open store does not wait for the disk. A caller gets the outcome of its unit only when the commit is on the disk. A COMMIT of a
   * migration runs before this and waits for the disk itself.
   */
  private openStore(): SqliteStore {
    this.files = [...this.files, fileIdentity(`${this.database.filename}-wal`)]
    return new SqliteStore(this.database, this.options.onFatal, {
      durability: LogSync.of(this.database),
      isInPlace: () => this.isInPlace(),
      requireSchema: schemaCheck(this.database, this.options.known),
    })
  }
}

/**
 * The real database of one simulated process, with faults by disk and other processes: a busy lock, a full disk, a COMMIT that fails, and
 * a kill before or after any statement.
 */
import { Database, type Statement } from "bun:sqlite"
import { BUSY_TIMEOUT_MS } from "../../../db/open.ts"

/** The result of one statement. `killed_after` runs it first: a COMMIT is then on the disk, but no caller knows it. */
export type StatementFault = "busy" | "full" | "io_before" | "io_after" | "killed_before" | "killed_after"

export interface DatabaseFaults {
  /** Called before every statement of a writing transaction, its BEGIN and COMMIT included. Null: no fault. */
  next(sql: string): StatementFault | null
  /** The process dies at once. */
  kill(): void
  /** A write transaction reached the file. */
  committed(): void
}

const CODES = { busy: "SQLITE_BUSY", full: "SQLITE_FULL", io: "SQLITE_IOERR_FSYNC" } as const

class SimulatedSqliteError extends Error {
  constructor(readonly code: string) {
    super(`simulated ${code}`)
  }
}

/** The code runs many of these in every step, by {@link Database.run}, which would parse their text each time. */
const TRANSACTIONS: ReadonlySet<string> = new Set([
  "BEGIN",
  "BEGIN IMMEDIATE",
  "COMMIT",
  "ROLLBACK",
  "SAVEPOINT unit",
  "RELEASE unit",
])

export class FaultyDatabase extends Database {
  /** By their text: a statement is kept longer than its process, because parsing it takes longer than running it. */
  private readonly prepared = new Map<string, Statement>()
  private readonly transactions = new Map<string, Statement>()
  private dead = false
  private writing = false

  constructor(
    path: string,
    private faults: DatabaseFaults,
  ) {
    super(path, { create: true, strict: true })
    // Cheaper than the settings of db/open.ts, with the same effect: no two transactions of one thread meet, so nothing reads past a
    // writer, and a kill of a simulated process never loses data of the operating system.
    for (const pragma of ["journal_mode = MEMORY", "synchronous = OFF", "foreign_keys = ON"]) {
      super.run(`PRAGMA ${pragma}`)
    }
    this.restore()
  }

  /** The connection of a dead process serves another one, and keeps nothing of the first but statements. */
  revive(faults: DatabaseFaults): void {
    if (!this.dead) throw new TypeError("the connection is in use")
    this.faults = faults
    this.dead = false
    this.writing = false
    this.restore()
  }

  private restore(): void {
    super.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }

  override run(sql: string, ...bindings: never[]): ReturnType<Database["run"]> {
    return this.guarded(sql, () => (TRANSACTIONS.has(sql) ? this.runTransaction(sql) : super.run(sql, ...bindings)))
  }

  private runTransaction(sql: string): ReturnType<Database["run"]> {
    let statement = this.transactions.get(sql)
    if (!statement) {
      statement = super.prepare(sql) as Statement
      this.transactions.set(sql, statement)
    }
    return statement.run()
  }

  override prepare(...args: Parameters<Database["prepare"]>): never {
    if (this.dead) throw new Error("the process is dead")
    const [sql] = args
    const known = this.prepared.get(sql)
    if (known) return known as never
    const statement = super.prepare(...args)
    this.prepared.set(sql, statement as Statement)
    for (const method of ["all", "get", "run", "values"] as const) {
      const real = statement[method].bind(statement) as (...values: unknown[]) => unknown
      Object.defineProperty(statement, method, {
        value: (...values: unknown[]) => this.guarded(sql, () => real(...values)),
      })
    }
    return statement as never
  }

  override get inTransaction(): boolean {
    return !this.dead && super.inTransaction
  }

  override close(throwOnError?: boolean): void {
    if (!this.dead) super.close(throwOnError)
  }

  /** As the operating system ends a process: uncommitted changes are lost. */
  die(): void {
    if (this.dead) return
    if (super.inTransaction) super.run("ROLLBACK")
    this.dead = true
  }

  /** Called when no process uses it any more. */
  free(): void {
    this.dead = true
    for (const statement of [...this.prepared.values(), ...this.transactions.values()]) statement.finalize()
    super.close(true)
  }

  private guarded<T>(sql: string, execute: () => T): T {
    if (this.dead) throw new Error("the process is dead")
    if (sql === "BEGIN IMMEDIATE") this.writing = true
    const fault = this.writing && sql !== "ROLLBACK" ? this.faults.next(sql) : null
    if (fault !== null) this.strike(fault, sql, execute)
    const result = execute()
    this.note(sql)
    return result
  }

  private note(sql: string): void {
    if (!this.writing || super.inTransaction) return
    this.writing = false
    if (sql === "COMMIT") this.faults.committed()
  }

  /** Always throws. */
  private strike(fault: StatementFault, sql: string, execute: () => unknown): void {
    if (fault === "killed_after" || fault === "io_after") {
      execute()
      this.note(sql)
    }
    switch (fault) {
      case "killed_before":
      case "killed_after":
        this.die()
        this.faults.kill()
        throw new Error("the process is dead")
      case "busy":
        if (sql === "BEGIN IMMEDIATE") this.writing = false
        throw new SimulatedSqliteError(CODES.busy)
      case "full":
        // SQLite itself ends a transaction when the disk is full.
        if (super.inTransaction) super.run("ROLLBACK")
        this.writing = false
        throw new SimulatedSqliteError(CODES.full)
      default:
        if (super.inTransaction) super.run("ROLLBACK")
        this.writing = false
        throw new SimulatedSqliteError(CODES.io)
    }
  }
}

/** One SQLite file. Each process has a connection of its own, which outlives it. */
import type { Statement } from "bun:sqlite"
import { migrate } from "../../../db/migrate.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { SqliteStatements } from "../../../src/store/engine/sqlite/sqlite-statements.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { besideOf } from "../../fixtures/test-database.ts"
import type { Random } from "../random.ts"
import { type Change, type ChangeRow, changeOf, WATCHED } from "./changes.ts"
import type { Conditions } from "./conditions.ts"
import { type DatabaseFaults, FaultyDatabase, type StatementFault } from "./faulty-database.ts"
import { runToEnd } from "./run-to-end.ts"
import type { DatabaseUser, SimulatedDatabase, UsedDatabase, Value } from "./simulated-database.ts"

/** How long a fault may delay the process that met it, virtual ms. */
const DELAY_MS = 1_000

interface Connection {
  readonly database: FaultyDatabase
  readonly statements: SqliteStatements
}

export class SimulatedSqlite implements SimulatedDatabase {
  /** Of the inspectors. */
  private readonly own: FaultyDatabase
  /** By the name of the process. */
  private readonly connections = new Map<string, Connection>()
  private newer: Statement<ChangeRow & { readonly seq: number }, [number]> | null = null
  private last = 0

  /** `path`: of a file that does not exist. */
  constructor(
    private readonly path: string,
    private readonly conditions: Conditions,
    createdAt: number,
  ) {
    this.own = new FaultyDatabase(path, { next: () => null, kill: () => {}, committed: () => {} })
    migrate(this.own, formatInstant(createdAt))
  }

  enter(
    { life, scheduler }: Parameters<SimulatedDatabase["enter"]>[0],
    enter: Parameters<SimulatedDatabase["enter"]>[1],
  ): void {
    const onFatal = (error: unknown) => {
      throw error
    }
    const store = new SqliteStore(this.own, onFatal, { timers: life.machine })
    runToEnd(scheduler, enter({ store, beside: besideOf(this.own) }))
  }

  watch(): void {
    const { own } = this
    own.run("CREATE TABLE simulated_change (seq INTEGER PRIMARY KEY, what TEXT NOT NULL, old TEXT, new TEXT)")
    for (const { table, members, differs } of WATCHED) {
      const row = (side: "OLD" | "NEW") => `json_object(${members(side)})`
      const trigger = (event: string, when: string, before: string, after: string) =>
        own.run(
          `CREATE TRIGGER simulated_${table}_${event} AFTER ${event} ON ${table} ${when}
           BEGIN INSERT INTO simulated_change (what, old, new) VALUES ('${table}', ${before}, ${after}); END`,
        )
      trigger("INSERT", "", "NULL", row("NEW"))
      trigger("UPDATE", `WHEN ${differs("IS NOT")}`, row("OLD"), row("NEW"))
      trigger("DELETE", "", row("OLD"), "NULL")
    }
    this.newer = own.query("SELECT seq, what, old, new FROM simulated_change WHERE seq > ?1 ORDER BY seq")
  }

  open(user: DatabaseUser): UsedDatabase {
    const { life, kill } = user
    const { database, statements } = this.connect(user)
    life.onDeath.add(() => database.die())
    migrate(database, formatInstant(life.machine.now()))
    const onFatal = () => kill("a COMMIT of unknown outcome")
    return { store: new SqliteStore(database, onFatal, { timers: life.machine, statements }), workers: () => [] }
  }

  /** No transaction begins before the one before it has ended, so this is the order of commits too. */
  changes(): Change[] {
    const rows = this.newer?.all(this.last) ?? []
    this.last = rows.at(-1)?.seq ?? this.last
    return rows.map(changeOf)
  }

  rows<Row>(sql: string, ...values: Value[]): Row[] {
    return this.own.query<Row, Value[]>(sql).all(...values)
  }

  close(): void {
    for (const { database } of this.connections.values()) database.free()
    this.own.free()
  }

  private connect({ life, random, kill, delayed }: DatabaseUser): Connection {
    const faults: DatabaseFaults = {
      next: (sql) => {
        const fault = this.fault(random, sql)
        if (fault !== null) delayed(DELAY_MS)
        return fault
      },
      kill: () => kill("inside a transaction"),
      committed: () => this.conditions.committed(),
    }
    const known = this.connections.get(life.name)
    if (known) {
      known.database.revive(faults)
      return known
    }
    const database = new FaultyDatabase(this.path, faults)
    const made = { database, statements: new SqliteStatements(database) }
    this.connections.set(life.name, made)
    return made
  }

  private fault(random: Random, sql: string): StatementFault | null {
    const { time, rates, awayUntil, diskFullUntil } = this.conditions
    const { database } = rates
    if (sql === "BEGIN IMMEDIATE") return time < awayUntil || random.chance(database.busy) ? "busy" : null
    if (time < diskFullUntil && (sql === "COMMIT" || random.chance(0.3))) return "full"
    const chance = random.fraction()
    let edge = database.kill
    if (chance < edge) return random.chance(0.5) ? "killed_before" : "killed_after"
    edge += database.full
    if (chance < edge) return "full"
    if (sql !== "COMMIT") return null
    edge += database.busy
    if (chance < edge) return "busy"
    edge += database.io
    if (chance < edge) return random.chance(0.5) ? "io_before" : "io_after"
    return null
  }
}

/** Measures single units of the store without the commit: the writes of a unit are rolled back. */
import type { Database } from "bun:sqlite"
import { drive } from "../../src/store/engine/drive-unit.ts"
import { SqliteStatements } from "../../src/store/engine/sqlite/sqlite-statements.ts"
import type { Statement, Unit } from "../../src/store/engine/unit.ts"
import { median } from "./statistics.ts"

const RUNS = 201

/** Median in milliseconds. */
export function timeUnit(database: Database, unit: () => Unit<unknown>): number {
  const statements = new SqliteStatements(database)
  const driver = {
    prepare: (query: Statement["query"]) => statements.of(query),
    holds: () => true,
    isClockRight: () => true,
  }
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    database.run("BEGIN")
    const start = performance.now()
    drive(unit(), driver)
    times.push(performance.now() - start)
    database.run("ROLLBACK")
  }
  return median(times)
}

/** Measures single units of the store without the commit: the writes of a unit are rolled back. */
import type { Database } from "bun:sqlite"
import * as tables from "../../db/tables.ts"
import { statementBuilder } from "../../src/store/sqlite-statements.ts"
import type { Prepared, Query, Unit } from "../../src/store/unit.ts"
import { median } from "./statistics.ts"

const RUNS = 201

/** Median in milliseconds. */
export function timeUnit(database: Database, unit: () => Unit<unknown>): number {
  const builder = statementBuilder(database)
  const prepared = new Map<Query<unknown>, Prepared<unknown>>()
  const statement = (query: Query<unknown>): Prepared<unknown> => {
    const known = prepared.get(query) ?? query.build(builder, tables).prepare()
    prepared.set(query, known)
    return known
  }
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    database.run("BEGIN")
    const start = performance.now()
    const running = unit()
    let step = running.next()
    while (!step.done) step = running.next(statement(step.value.query).all(step.value.values))
    times.push(performance.now() - start)
    database.run("ROLLBACK")
  }
  return median(times)
}

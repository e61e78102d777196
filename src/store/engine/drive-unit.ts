import type { Prepared, Statement, Unit } from "./unit.ts"

/** A unit with more statements is an endless loop; it would hold the lock against every other writer. */
export const UNIT_STATEMENTS_MAX = 2_000

/** Runs a unit to its end, statement by statement. `prepare` returns the statement of a query. */
export function drive<T>(unit: Unit<T>, prepare: (query: Statement["query"]) => Prepared<unknown>): T {
  let step = unit.next()
  for (let statements = 1; !step.done; statements++) {
    if (statements > UNIT_STATEMENTS_MAX) throw new Error(`a unit runs at most ${UNIT_STATEMENTS_MAX} statements`)
    step = unit.next(prepare(step.value.query).all(step.value.values))
  }
  return step.value
}

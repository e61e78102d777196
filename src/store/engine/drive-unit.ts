import { answerTo, type Order } from "./order.ts"
import type { Prepared, Statement, Unit } from "./unit.ts"

/** A unit with more statements is an endless loop; it would hold the lock against every other writer. */
export const UNIT_STATEMENTS_MAX = 2_000

interface Driver {
  /** Returns the statement of a query. */
  prepare(query: Statement["query"]): Prepared<unknown>
  /** Whether the unit holds an order. */
  holds(order: Order): boolean
}

/** Runs a unit to its end, statement by statement. */
export function drive<T>(unit: Unit<T>, driver: Driver): T {
  const statements = statementsOf(unit, (order) => driver.holds(order))
  let step = statements.next()
  while (!step.done) step = statements.next(driver.prepare(step.value.query).all(step.value.values))
  return step.value
}

/** Yields the statements of a unit and receives their rows. Answers what the unit asks about orders. Throws for too many statements. */
export function* statementsOf<T>(unit: Unit<T>, holds: (order: Order) => boolean): Generator<Statement, T, unknown[]> {
  let step = unit.next()
  for (let requests = 1; !step.done; requests++) {
    if (requests > UNIT_STATEMENTS_MAX) throw new Error(`a unit runs at most ${UNIT_STATEMENTS_MAX} statements`)
    const request = step.value
    step = unit.next(request.order === undefined ? yield request : answerTo(request, holds))
  }
  return step.value
}

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
  let step = unit.next()
  for (let statements = 1; !step.done; statements++) {
    if (statements > UNIT_STATEMENTS_MAX) throw new Error(`a unit runs at most ${UNIT_STATEMENTS_MAX} statements`)
    const request = step.value
    step = unit.next(
      request.order === undefined
        ? driver.prepare(request.query).all(request.values)
        : answerTo(request, (order) => driver.holds(order)),
    )
  }
  return step.value
}

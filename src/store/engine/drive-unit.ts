import type { ClockRequest } from "./clock.ts"
import { answerTo, type Order, type OrderRequest } from "./order.ts"
import type { Prepared, Statement, Unit } from "./unit.ts"

/** A unit with more statements is an endless loop; it would hold the lock against every other writer. */
export const UNIT_STATEMENTS_MAX = 2_000

/** What an engine answers to a unit without a statement. */
export interface Answers {
  /** Whether the unit holds an order. */
  holds(order: Order): boolean
  /** See `isClockRight` of `unit.ts`. */
  isClockRight(): boolean
}

interface Driver extends Answers {
  /** Returns the statement of a query. */
  prepare(query: Statement["query"]): Prepared<unknown>
}

/** Runs a unit to its end, statement by statement. */
export function drive<T>(unit: Unit<T>, driver: Driver): T {
  const statements = statementsOf(unit, driver)
  let step = statements.next()
  while (!step.done) step = statements.next(driver.prepare(step.value.query).all(step.value.values))
  return step.value
}

/** Yields the statements of a unit and receives their rows. Answers what else the unit asks. Throws for too many statements. */
export function* statementsOf<T>(unit: Unit<T>, answers: Answers): Generator<Statement, T, unknown[]> {
  let step = unit.next()
  for (let requests = 1; !step.done; requests++) {
    if (requests > UNIT_STATEMENTS_MAX) throw new Error(`a unit runs at most ${UNIT_STATEMENTS_MAX} statements`)
    const request = step.value
    step = unit.next(request.order === undefined ? yield request : answerOf(request, answers))
  }
  return step.value
}

function answerOf(request: OrderRequest | ClockRequest, answers: Answers): [boolean] {
  if (request.order === null) return [answers.isClockRight()]
  return answerTo(request, (order) => answers.holds(order))
}

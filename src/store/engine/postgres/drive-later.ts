/** Drives units whose statements are answered later: the twin of `drive` in `drive-unit.ts`. */
import { statementsOf } from "../drive-unit.ts"
import type { Order } from "../order.ts"
import type { Statement, Unit } from "../unit.ts"

interface LaterDriver {
  rows(statement: Statement): Promise<unknown[]>
  /** Whether the unit holds an order. */
  holds(order: Order): boolean
}

export async function driveLater<T>(unit: Unit<T>, driver: LaterDriver): Promise<T> {
  const statements = statementsOf(unit, (order) => driver.holds(order))
  let step = statements.next()
  while (!step.done) step = statements.next(await driver.rows(step.value))
  return step.value
}

/** Drives units whose statements are answered later: the twin of `drive-unit.ts`. */
import { UNIT_STATEMENTS_MAX } from "../drive-unit.ts"
import { answerTo, type Order } from "../order.ts"
import type { Statement, Unit } from "../unit.ts"

interface LaterDriver {
  rows(statement: Statement): Promise<unknown[]>
  /** Whether the unit holds an order. */
  holds(order: Order): boolean
}

export async function driveLater<T>(unit: Unit<T>, driver: LaterDriver): Promise<T> {
  let step = unit.next()
  for (let statements = 1; !step.done; statements++) {
    if (statements > UNIT_STATEMENTS_MAX) throw new Error(`a unit runs at most ${UNIT_STATEMENTS_MAX} statements`)
    const yielded = step.value
    step = unit.next(
      yielded.order === undefined ? await driver.rows(yielded) : answerTo(yielded, (order) => driver.holds(order)),
    )
  }
  return step.value
}

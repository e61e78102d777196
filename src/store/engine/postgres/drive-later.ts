/** Drives units whose statements are answered later: the twin of `drive` in `drive-unit.ts`. */
import { type Answers, statementsOf } from "../drive-unit.ts"
import type { Statement, Unit } from "../unit.ts"

interface LaterDriver extends Answers {
  rows(statement: Statement): Promise<unknown[]>
}

export async function driveLater<T>(unit: Unit<T>, driver: LaterDriver): Promise<T> {
  const statements = statementsOf(unit, driver)
  let step = statements.next()
  while (!step.done) step = statements.next(await driver.rows(step.value))
  return step.value
}

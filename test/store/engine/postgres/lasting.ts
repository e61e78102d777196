/** Units that last until something happens, so that a test does not depend on how quick the machine is. */
import { sql } from "drizzle-orm"
import { first, query, type Unit } from "../../../../src/store/engine/unit.ts"

const WITHIN_MS = 20_000
/** With it a unit reaches {@link WITHIN_MS} before its limit of statements. */
const pause = query((db, { logHead: t }) => db.select({ slept: sql`pg_sleep(0.02)::text`.mapWith(String) }).from(t))

/** Waits, statement by statement, until `isOver` is true. */
export function* lasting(isOver: () => boolean): Unit<void> {
  const until = performance.now() + WITHIN_MS
  while (!isOver()) {
    if (performance.now() > until) throw new Error(`a unit still waits after ${WITHIN_MS} ms`)
    yield* first(pause)
  }
}

/** A place where units meet: each that comes waits until `count` have come. One that comes later, or again, does not wait. */
export function meeting(count: number): () => Unit<void> {
  let come = 0
  return function* () {
    come++
    yield* lasting(() => come >= count)
  }
}

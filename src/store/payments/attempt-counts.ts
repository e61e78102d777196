/**
 * How often attempts entered each state, and how many are in it. The unit that moves an attempt changes one row a state, that of its slot.
 * Readers add the slots up.
 */
import { and, eq, inArray, sql } from "drizzle-orm"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"
import type { AttemptState } from "./attempts.ts"

export interface AttemptCount {
  readonly state: AttemptState
  /** Changes into this state since the first one. Never falls. */
  readonly entered: number
  /** Attempts in this state. */
  readonly present: number
}

const move = write((db, { attemptCount: t }, words) => {
  const arrives = sql`(case when ${t.state} = ${bind("to")} then 1 else 0 end)`
  const leaves = sql`(case when ${t.state} = ${bind("from")} then 1 else 0 end)`
  return db
    .update(t)
    .set({ entered: sql`${t.entered} + ${arrives}`, present: sql`${t.present} + ${arrives} - ${leaves}` })
    .where(and(eq(t.slot, words.slot), inArray(t.state, [bind("from"), bind("to")])))
})

/** The rows of a slot are made together, so it has all of them or none. */
const begin = write((db, { attemptCount: t }, words) =>
  db
    .insert(t)
    .values(t.state.enumValues.map((state) => ({ state, slot: words.slot, entered: 0, present: 0 })))
    .onConflictDoNothing(),
)

const sums = query((db, { attemptCount: t }) =>
  db
    .select({
      state: t.state,
      entered: sql<number>`sum(${t.entered})`.mapWith(Number),
      present: sql<number>`sum(${t.present})`.mapWith(Number),
    })
    .from(t)
    .groupBy(t.state)
    .orderBy(t.state),
)

/** `from` null: the attempt is new. */
export function* countMove(from: AttemptState | null, to: AttemptState): Unit<void> {
  if ((yield* changed(move, { from, to })) > 0) return
  yield* changed(begin)
  yield* changed(move, { from, to })
}

/** One for each state. */
export function* attemptCounts(): Unit<AttemptCount[]> {
  return yield* rows(sums)
}

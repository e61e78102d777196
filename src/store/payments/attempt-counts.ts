/** How often attempts entered each state, and how many are in it: one row a state, changed in the unit that moves an attempt. */
import { inArray, sql } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import type { AttemptState } from "./attempts.ts"

export interface AttemptCount {
  readonly state: AttemptState
  /** Changes into this state since the first one. Never falls. */
  readonly entered: number
  /** Attempts in this state. */
  readonly present: number
}

const move = query((db, { attemptCount: t }) => {
  const arrives = sql`(${t.state} = ${bind("to")})`
  // `IS`, because a new attempt comes from no state.
  const leaves = sql`(${t.state} IS ${bind("from")})`
  return db
    .update(t)
    .set({ entered: sql`${t.entered} + ${arrives}`, present: sql`${t.present} + ${arrives} - ${leaves}` })
    .where(inArray(t.state, [bind("from"), bind("to")]))
    .returning({ state: t.state })
})
const all = query((db, { attemptCount: t }) => db.select().from(t).orderBy(t.state))

/** `from` null: the attempt is new. */
export function* countMove(from: AttemptState | null, to: AttemptState): Unit<void> {
  yield* rows(move, { from, to })
}

/** One for each state. */
export function* attemptCounts(): Unit<AttemptCount[]> {
  return yield* rows(all)
}

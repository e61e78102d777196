/**
 * How often attempts entered each state, and how many are in it. The unit that moves an attempt changes one row a state, that of its slot.
 * Readers add the slots up.
 */
import { sql } from "drizzle-orm"
import { sumOf } from "../engine/expressions.ts"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"
import type { AttemptState } from "./attempts.ts"

export interface AttemptCount {
  readonly state: AttemptState
  /** Changes into this state since the first one. Never falls. */
  readonly entered: number
  /** Attempts in this state. */
  readonly present: number
}

/**
 * Not an update: it would read pages of the index that other units use too. An insert that meets its row and changes it does not. PostgreSQL
 * refuses one that meets its row twice, so a move back into the same state has one row.
 */
function countAs(statement: "arrives" | "moves" | "stays") {
  return write((db, { attemptCount: t }, words) => {
    const { slot } = words
    const arrives = { state: bind("to"), slot, entered: 1, present: 1 }
    const leaves = { state: bind("from"), slot, entered: 0, present: -1 }
    const rows = { arrives: [arrives], moves: [arrives, leaves], stays: [{ ...arrives, present: 0 }] }
    return db
      .insert(t)
      .values(rows[statement])
      .onConflictDoUpdate({
        target: [t.state, t.slot],
        set: { entered: sql`${t.entered} + excluded.entered`, present: sql`${t.present} + excluded.present` },
      })
  })
}

const arrive = countAs("arrives")
const move = countAs("moves")
const stay = countAs("stays")

const sums = query((db, { attemptCount: t }) =>
  db
    .select({
      state: t.state,
      entered: sumOf(t.entered),
      present: sumOf(t.present),
    })
    .from(t)
    .groupBy(t.state)
    .orderBy(t.state),
)

/** `from` null: the attempt is new. */
export function* countMove(from: AttemptState | null, to: AttemptState): Unit<void> {
  if (from === null) yield* changed(arrive, { to })
  else if (from === to) yield* changed(stay, { to })
  else yield* changed(move, { from, to })
}

/** One for each state. */
export function* attemptCounts(): Unit<AttemptCount[]> {
  return yield* rows(sums)
}

/** Delivered answers by product and decision, counted in the unit that delivers, in the row of its slot. Readers add the slots up. */
import { sql } from "drizzle-orm"
import { sumOf } from "../engine/expressions.ts"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"

export interface DecisionCount {
  readonly product: string
  readonly decision: string
  readonly answers: number
}

const count = write((db, { decisionCount: t }, words) =>
  db
    .insert(t)
    .values({ product: bind("product"), decision: bind("decision"), slot: words.slot, answers: 1 })
    .onConflictDoUpdate({ target: [t.product, t.decision, t.slot], set: { answers: sql`${t.answers} + 1` } }),
)
const sums = query((db, { decisionCount: t }) =>
  db
    .select({ product: t.product, decision: t.decision, answers: sumOf(t.answers) })
    .from(t)
    .groupBy(t.product, t.decision)
    .orderBy(t.product, t.decision),
)

export function* countDecision(product: string, decision: string): Unit<void> {
  yield* changed(count, { product, decision })
}

/** One for each product and decision that was ever delivered. */
export function* decisionCounts(): Unit<DecisionCount[]> {
  return yield* rows(sums)
}

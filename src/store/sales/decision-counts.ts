/** Delivered answers by product and decision, counted in the unit that delivers. */
import { sql } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"

export interface DecisionCount {
  readonly product: string
  readonly decision: string
  readonly answers: number
}

const count = query((db, { decisionCount: t }) =>
  db
    .insert(t)
    .values({ product: bind("product"), decision: bind("decision"), answers: 1 })
    .onConflictDoUpdate({ target: [t.product, t.decision], set: { answers: sql`${t.answers} + 1` } })
    .returning({ answers: t.answers }),
)
const all = query((db, { decisionCount: t }) => db.select().from(t).orderBy(t.product, t.decision))

export function* countDecision(product: string, decision: string): Unit<void> {
  yield* rows(count, { product, decision })
}

/** One for each product and decision that was ever delivered. */
export function* decisionCounts(): Unit<DecisionCount[]> {
  return yield* rows(all)
}

/** How many cases of each product are in each state, counted in the unit that opens or moves them. */
import { asc, sql } from "drizzle-orm"
import type { ReviewState } from "../../core/review/record-types.ts"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"

export interface CaseCount {
  readonly product: string
  readonly state: ReviewState
  readonly cases: number
}

const add = write((db, { reviewCount: t }, words) =>
  db
    .insert(t)
    .select(
      sql`select ${words.text(0)}, ${words.text(1)}, ${words.integer(2)} from ${words.each(bind("counts"))} where true`,
    )
    .onConflictDoUpdate({ target: [t.product, t.state], set: { cases: sql`${t.cases} + excluded.cases` } }),
)
const all = query((db, { reviewCount: t }) => db.select().from(t).orderBy(asc(t.product), asc(t.state)))

/** `products`: of each opened case, its product. */
export function* countOpened(products: readonly string[]): Unit<void> {
  const opened = new Map<string, number>()
  for (const product of products) opened.set(product, (opened.get(product) ?? 0) + 1)
  yield* addCounts([...opened].map(([product, cases]) => ({ product, state: "OPEN", cases })))
}

/** One case of the product leaves `from` for another state. */
export function* countMoved(product: string, from: ReviewState, to: ReviewState): Unit<void> {
  yield* addCounts([
    { product, state: from, cases: -1 },
    { product, state: to, cases: 1 },
  ])
}

/** Each product and state at most once: PostgreSQL refuses an insert that meets its own row. */
function* addCounts(counts: readonly CaseCount[]): Unit<void> {
  if (counts.length === 0) return
  yield* changed(add, { counts: JSON.stringify(counts.map(({ product, state, cases }) => [product, state, cases])) })
}

/** One for each product and state that a case was ever in. */
export function* caseCounts(): Unit<CaseCount[]> {
  return yield* rows(all)
}

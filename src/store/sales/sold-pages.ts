/** The operator's list of what was sold, in pages from the newest answer to the oldest. */
import { and, desc, eq, gte, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { bind, type Query, query, rows, type Store } from "../engine/unit.ts"
import type { SoldAnswer } from "./sold-answers.ts"

/** A place in the list. */
export interface SoldPlace {
  /** RFC 3339. */
  readonly soldAt: string
  readonly id: number
}

export interface ListedAnswer extends SoldAnswer, SoldPlace {
  readonly supplier: string
}

/** What the listed answers have. Null: anything. */
export interface SoldFilter {
  /** A key of the party: see `partyKeys`. */
  readonly partyKey: string | null
  readonly tx: string | null
  readonly payer: string | null
  readonly product: string | null
  readonly decision: string | null
}

/** The part of the list to look at. */
export interface SoldRange {
  /** RFC 3339. */
  readonly since: string
  /** The first answer is the next older one. */
  readonly before: SoldPlace
  /** Answers to return. */
  readonly limit: number
}

export interface FoundAnswers {
  readonly answers: readonly ListedAnswer[]
  /** Where the list goes on. Null at its end. */
  readonly next: SoldPlace | null
  /** The limit of answers to look at ended the search. */
  readonly isCut: boolean
}

/** Answers that one search looks at. An index finds those with one value; the other values are compared answer by answer. */
export const LOOKED_AT_MAX = 100_000
/** Answers of one page whose other values are compared. */
const COMPARED_AT_ONCE = 1_000

type Column = "tx" | "payer" | "product" | "decision"

/** Each set of columns has an index that also gives the order. */
function pageOf(...columns: readonly Column[]) {
  return query((db, { soldAnswer: t }) =>
    db
      .select()
      .from(t)
      .where(and(...columns.map((column) => eq(t[column], bind(column))), isInRange(t.soldAt, t.id)))
      .orderBy(desc(t.soldAt), desc(t.id))
      .limit(bind("limit")),
  )
}

function isInRange(soldAt: SQLiteColumn, id: SQLiteColumn): SQL | undefined {
  return and(gte(soldAt, bind("since")), sql`(${soldAt}, ${id}) < (${bind("before")}, ${bind("beforeId")})`)
}

const newest = pageOf()
const ofTransaction = pageOf("tx")
const ofPayer = pageOf("payer")
const ofProduct = pageOf("product")
const ofProductDecision = pageOf("product", "decision")
const ofDecision = pageOf("decision")
const ofParty = query((db, { soldAnswer: a, soldParty: t }) =>
  db
    .select({
      id: a.id,
      requestId: a.requestId,
      soldAt: a.soldAt,
      product: a.product,
      decision: a.decision,
      payer: a.payer,
      tx: a.tx,
      answerId: a.answerId,
      deliveryReference: a.deliveryReference,
      supplier: a.supplier,
    })
    .from(t)
    .innerJoin(a, eq(a.id, t.seq))
    .where(and(eq(t.partyKey, bind("partyKey")), isInRange(t.soldAt, t.seq)))
    .orderBy(desc(t.soldAt), desc(t.seq))
    .limit(bind("limit")),
)

/** The index that finds the fewest answers comes first. */
const INDEXES: readonly (readonly [page: Query<ListedAnswer>, columns: readonly (keyof SoldFilter)[]])[] = [
  [ofParty, ["partyKey"]],
  [ofTransaction, ["tx"]],
  [ofPayer, ["payer"]],
  [ofProductDecision, ["product", "decision"]],
  [ofProduct, ["product"]],
  [ofDecision, ["decision"]],
  [newest, []],
]

/** Finds the answers with all values of the filter, each page on a view of its own. */
export async function findSold(
  store: Pick<Store, "read">,
  filter: SoldFilter,
  { since, before, limit }: SoldRange,
): Promise<FoundAnswers> {
  const given = (Object.keys(filter) as (keyof SoldFilter)[]).filter((column) => filter[column] !== null)
  const [page, columns] = INDEXES.find(([, of]) => of.every((column) => given.includes(column))) ?? [newest, []]
  const compared = given.filter((column): column is Column => column !== "partyKey" && !columns.includes(column))
  const answers: ListedAnswer[] = []
  let place = before
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; ) {
    // One more than wanted shows whether the list goes on.
    const size = compared.length > 0 ? COMPARED_AT_ONCE : limit + 1 - answers.length
    const values = { ...filter, since, before: place.soldAt, beforeId: place.id, limit: size }
    const found = await store.read(() => rows(page, values))
    answers.push(...found.filter((one) => compared.every((column) => one[column] === filter[column])))
    const last = answers[limit - 1]
    if (last && answers.length > limit) return { answers: answers.slice(0, limit), next: placeOf(last), isCut: false }
    const oldest = found.at(-1)
    if (!oldest || found.length < size) return { answers, next: null, isCut: false }
    place = placeOf(oldest)
    lookedAt += found.length
  }
  return { answers, next: place, isCut: true }
}

function placeOf({ soldAt, id }: SoldPlace): SoldPlace {
  return { soldAt, id }
}

/** The operator's list of what was sold, in pages from the newest answer to the oldest. */
import { and, desc, eq, gte, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { bind, type Query, query, rows, type Store, type Tables } from "../engine/unit.ts"
import type { SoldAnswer } from "./sold-answers.ts"

/** A place in the list. */
export interface SoldPlace {
  /** RFC 3339. */
  readonly soldAt: string
  readonly seq: number
}

export interface ListedAnswer extends SoldAnswer, SoldPlace {}

const listedColumns = ({ soldAnswer: t }: Tables) => ({
  seq: t.seq,
  requestId: t.requestId,
  soldAt: t.soldAt,
  product: t.product,
  decision: t.decision,
  payer: t.payer,
  tx: t.tx,
  answerId: t.answerId,
  deliveryReference: t.deliveryReference,
  supplier: t.supplier,
})

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
function pageOf(...columns: readonly [Column, ...Column[]]) {
  return query((db, tables) => {
    const t = tables.soldAnswer
    return db
      .select(listedColumns(tables))
      .from(t)
      .where(and(...columns.map((column) => eq(t[column], bind(column))), isInRange(t.soldAt, t.seq)))
      .orderBy(desc(t.soldAt), desc(t.seq))
      .limit(bind("limit"))
  })
}

function isInRange(soldAt: SQLiteColumn, seq: SQLiteColumn): SQL | undefined {
  return and(gte(soldAt, bind("since")), sql`(${soldAt}, ${seq}) < (${bind("before")}, ${bind("beforeSeq")})`)
}

const newest = query((db, tables) => {
  const t = tables.soldAnswer
  return db
    .select(listedColumns(tables))
    .from(t)
    .where(and(eq(t.listed, 1), isInRange(t.soldAt, t.seq)))
    .orderBy(desc(t.soldAt), desc(t.seq))
    .limit(bind("limit"))
})
const ofTransaction = pageOf("tx")
const ofPayer = pageOf("payer")
const ofProduct = pageOf("product")
const ofProductDecision = pageOf("product", "decision")
const ofDecision = pageOf("decision")
const ofParty = query((db, tables) => {
  const { soldAnswer, soldParty: t } = tables
  return db
    .select(listedColumns(tables))
    .from(t)
    .innerJoin(soldAnswer, eq(soldAnswer.seq, t.seq))
    .where(and(eq(t.partyKey, bind("partyKey")), isInRange(t.soldAt, t.seq)))
    .orderBy(desc(t.soldAt), desc(t.seq))
    .limit(bind("limit"))
})

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

/** Finds the answers with all values of the filter, each page on a view of its own. `lookedAtMax`: a test gives fewer. */
export async function findSold(
  store: Pick<Store, "read">,
  filter: SoldFilter,
  { since, before, limit }: SoldRange,
  lookedAtMax = LOOKED_AT_MAX,
): Promise<FoundAnswers> {
  const given = (Object.keys(filter) as (keyof SoldFilter)[]).filter((column) => filter[column] !== null)
  const [page, columns] = INDEXES.find(([, of]) => of.every((column) => given.includes(column))) ?? [newest, []]
  const compared = given.filter((column): column is Column => column !== "partyKey" && !columns.includes(column))
  const answers: ListedAnswer[] = []
  let place = before
  for (let lookedAt = 0; lookedAt < lookedAtMax; ) {
    // One more than wanted shows whether the list goes on.
    const size = compared.length > 0 ? COMPARED_AT_ONCE : limit + 1 - answers.length
    const values = { ...filter, since, before: place.soldAt, beforeSeq: place.seq, limit: size }
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

function placeOf({ soldAt, seq }: SoldPlace): SoldPlace {
  return { soldAt, seq }
}

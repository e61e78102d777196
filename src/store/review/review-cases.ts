/** Answers that wait for a person: one row for each, in the order of the list of what was sold. */
import { and, asc, desc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { ReviewState } from "../../core/review/record-types.ts"
import {
  bind,
  bound,
  changed,
  first,
  inOrder,
  type Query,
  query,
  rows,
  type Tables,
  type Unit,
  write,
} from "../engine/unit.ts"
import { countMoved, countOpened } from "./review-counts.ts"

export interface ReviewCase {
  /** Never the execution id, which is a right to read the answer. */
  readonly caseNumber: number
  readonly requestId: string
  /** RFC 3339. When the answer was delivered. */
  readonly openedAt: string
  readonly product: string
  readonly permission: string
  readonly decision: string
  /** The first reason of the answer. */
  readonly code: string
  readonly currency: string | null
  readonly amount: string | null
  /** Millionths of the amount, 24 digits. */
  readonly amountOrder: string
  /** The highest score of a listed entry; 0 without one. */
  readonly scorePermille: number
  readonly supplier: string
  /** In lower case. */
  readonly payer: string
  readonly organizationId: string | null
  /** Cases of one payer about one party and one entry have the same. */
  readonly groupKey: string
  readonly state: ReviewState
  readonly assignee: string | null
}

export type NewCase = Omit<ReviewCase, "caseNumber" | "state" | "assignee">

/** Sold answers that one step looks at. */
const LOOKED_AT_ONCE = 512
/** Answers of one step whose facts are read: they are in memory together. */
const READ_AT_ONCE = 32

/** What the list says of an answer. */
interface SoldRow {
  readonly seq: number
  readonly requestId: string
  readonly soldAt: string
  readonly product: string
  readonly decision: string
  readonly payer: string
  readonly supplier: string
}

/** A sold answer with what its case is made of. */
export interface AnswerToReview extends SoldRow {
  readonly organizationId: string | null
  readonly requestJson: string
  readonly factsJson: string
  readonly body: string
}

interface ReviewStep {
  /** The last answer that earlier steps looked at. */
  readonly from: number
  readonly to: number
  readonly answers: readonly AnswerToReview[]
  /** No sold answer is left after them. */
  readonly isLast: boolean
}

const place = query((db, { reviewFill: t }) => db.select({ filledTo: t.filledTo }).from(t).where(eq(t.id, "CASES")))
const sold = query((db, { soldAnswer: t }) =>
  db
    .select({
      seq: t.seq,
      requestId: t.requestId,
      soldAt: t.soldAt,
      product: t.product,
      decision: t.decision,
      payer: t.payer,
      supplier: t.supplier,
    })
    .from(t)
    .where(gt(t.seq, bind("filledTo")))
    .orderBy(asc(t.seq))
    .limit(LOOKED_AT_ONCE),
)
const stored = query((db, t, words) =>
  db
    .select({
      requestId: t.delivery.requestId,
      body: t.delivery.body,
      factsJson: t.delivery.factsJson,
      requestJson: t.decisionRequest.requestJson,
      organizationId: t.decisionRequest.organizationId,
    })
    .from(t.delivery)
    .innerJoin(t.decisionRequest, eq(t.decisionRequest.id, t.delivery.requestId))
    .where(
      and(
        inArray(t.delivery.requestId, sql`(select ${words.wholeText} from ${words.each(bind("ids"))})`),
        isNotNull(t.delivery.body),
      ),
    ),
)
const move = write((db, { reviewFill: t }) =>
  db
    .update(t)
    .set({ filledTo: bound("to") })
    .where(and(eq(t.id, "CASES"), eq(t.filledTo, bind("from")))),
)

/** `isReviewed`: whether an answer with this decision may wait for a person. Null: every sold answer was looked at. */
export function* nextReviewStep(isReviewed: (decision: string) => boolean): Unit<ReviewStep | null> {
  const from = (yield* first(place))?.filledTo ?? 0
  const found = yield* rows(sold, { filledTo: from })
  if (found.length === 0) return null
  const wanted = found.filter(({ decision }) => isReviewed(decision))
  const some = wanted.slice(0, READ_AT_ONCE)
  const isCut = some.length < wanted.length
  const to = (isCut ? some.at(-1) : found.at(-1))?.seq ?? from
  const read = some.length === 0 ? [] : yield* rows(stored, { ids: JSON.stringify(some.map((one) => one.requestId)) })
  const byId = new Map(read.map((one) => [one.requestId, one]))
  const answers = some.flatMap((one) => {
    const whole = byId.get(one.requestId)
    return whole?.body == null ? [] : [{ ...one, ...whole, body: whole.body }]
  })
  return { from, to, answers, isLast: !isCut && found.length < LOOKED_AT_ONCE }
}

const newestNumber = query((db, { reviewCase: t }) =>
  db.select({ caseNumber: t.caseNumber }).from(t).orderBy(desc(t.caseNumber)).limit(1),
)

/** In the order of the table. The number comes before them. */
const TEXTS = [
  "requestId",
  "openedAt",
  "product",
  "permission",
  "decision",
  "code",
  "currency",
  "amount",
  "amountOrder",
  "scorePermille",
  "supplier",
  "payer",
  "organizationId",
  "groupKey",
] as const satisfies readonly (keyof NewCase)[]

const insert = query((db, { reviewCase: t }, words) =>
  db
    .insert(t)
    .select(
      sql`select ${words.integer(0)}, ${sql.join(
        TEXTS.map((name, at) => (name === "scorePermille" ? words.integer(at + 1) : words.text(at + 1))),
        sql`, `,
      )}, 'OPEN', null from ${words.each(bind("cases"))} where true`,
    )
    .onConflictDoNothing()
    .returning({ product: t.product }),
)

/** Writes the cases of a step and moves the place, in one unit. Returns false if another process did. */
export function* openCases({ from, to }: Pick<ReviewStep, "from" | "to">, cases: readonly NewCase[]): Unit<boolean> {
  // Two such units side by side would take the same numbers.
  yield* inOrder("sequencing")
  if ((yield* changed(move, { from, to })) === 0) return false
  if (cases.length === 0) return true
  const newest = (yield* first(newestNumber))?.caseNumber ?? 0
  const values = cases.map((one, at) => [newest + 1 + at, ...TEXTS.map((name) => one[name])])
  const opened = yield* rows(insert, { cases: JSON.stringify(values) })
  yield* countOpened(opened.map(({ product }) => product))
  return true
}

const byNumber = query((db, { reviewCase: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.caseNumber, bind("caseNumber"))),
)
const update = write((db, { reviewCase: t }) =>
  db
    .update(t)
    .set({ state: bound("state"), assignee: bound("assignee") })
    .where(eq(t.caseNumber, bind("caseNumber"))),
)

export function* findCase(caseNumber: number): Unit<ReviewCase | null> {
  return (yield* first(byNumber, { caseNumber })) ?? null
}

/** `before`: the case as this unit read it. */
export function* updateCase(
  before: Pick<ReviewCase, "caseNumber" | "product" | "state">,
  { state, assignee }: Pick<ReviewCase, "state" | "assignee">,
): Unit<void> {
  yield* changed(update, { caseNumber: before.caseNumber, state, assignee })
  if (state !== before.state) yield* countMoved(before.product, before.state, state)
}

export type CaseOrder = "AGE" | "AMOUNT" | "SCORE"

/** Where a list goes on: the value of the order, and the number. */
export interface CasePlace {
  readonly value: string
  readonly caseNumber: number
}

type OrderColumn = (t: Tables["reviewCase"]) => SQLiteColumn

/** An order of the list: by age the least value is first, by the others the greatest. */
interface Order {
  readonly column: OrderColumn
  readonly isRising: boolean
}

const AGE: Order = { column: (t) => t.openedAt, isRising: true }
const AMOUNT: Order = { column: (t) => t.amountOrder, isRising: false }
const SCORE: Order = { column: (t) => t.scorePermille, isRising: false }

/** One state, after a place; of all products, or of the bound one. */
function pageBy({ column, isRising }: Order, isOfProduct = false): Query<ReviewCase> {
  return query((db, { reviewCase: t }) => {
    const [place, from] = [sql`(${column(t)}, ${t.caseNumber})`, sql`(${bind("value")}, ${bind("number")})`]
    const isAfter = isRising ? sql`${place} > ${from}` : sql`${place} < ${from}`
    const ofProduct = isOfProduct ? eq(t.product, bind("product")) : undefined
    const ordered = isRising ? asc : desc
    return db
      .select()
      .from(t)
      .where(and(ofProduct, eq(t.state, bind("state")), isAfter))
      .orderBy(ordered(column(t)), ordered(t.caseNumber))
      .limit(bind("limit"))
  })
}

const byAge = pageBy(AGE)
const byAmount = pageBy(AMOUNT)
const byScore = pageBy(SCORE)
const productByAge = pageBy(AGE, true)
const productByAmount = pageBy(AMOUNT, true)
const productByScore = pageBy(SCORE, true)

const PAGES: Readonly<Record<CaseOrder, Query<ReviewCase>>> = { AGE: byAge, AMOUNT: byAmount, SCORE: byScore }
const PRODUCT_PAGES: Readonly<Record<CaseOrder, Query<ReviewCase>>> = {
  AGE: productByAge,
  AMOUNT: productByAmount,
  SCORE: productByScore,
}
/** Before the first case of each order. No number of a case reaches the last one. */
const BEGINNINGS: Readonly<Record<CaseOrder, CasePlace>> = {
  AGE: { value: "", caseNumber: 0 },
  AMOUNT: { value: "9".repeat(24), caseNumber: Number.MAX_SAFE_INTEGER },
  SCORE: { value: "1001", caseNumber: Number.MAX_SAFE_INTEGER },
}

interface CaseQuery {
  readonly order: CaseOrder
  readonly states: readonly ReviewState[]
  /** Null: of all products. */
  readonly product?: string | null
  /** Null: from the beginning. */
  readonly after: CasePlace | null
  readonly limit: number
}

/** At most `limit` cases, and where the list goes on; null at its end. */
export function* listCases({ order, states, product = null, after, limit }: CaseQuery): Unit<{
  readonly cases: readonly ReviewCase[]
  readonly next: CasePlace | null
}> {
  const { value, caseNumber } = after ?? BEGINNINGS[order]
  const bound = order === "SCORE" ? Number(value) : value
  const found: ReviewCase[] = []
  for (const state of states) {
    // One more than wanted shows whether the list goes on.
    const page = { state, value: bound, number: caseNumber, limit: limit + 1 }
    const some = product === null ? rows(PAGES[order], page) : rows(PRODUCT_PAGES[order], { ...page, product })
    found.push(...(yield* some))
  }
  const sign = order === "AGE" ? 1 : -1
  const cases = found.sort((one, other) => sign * compared(one, other, order)).slice(0, limit)
  const last = cases.at(-1)
  return { cases, next: last && found.length > limit ? placeOf(last, order) : null }
}

function placeOf(one: ReviewCase, order: CaseOrder): CasePlace {
  return { value: String(valueIn(one, order)), caseNumber: one.caseNumber }
}

function valueIn({ openedAt, amountOrder, scorePermille }: ReviewCase, order: CaseOrder): string | number {
  return order === "AGE" ? openedAt : order === "AMOUNT" ? amountOrder : scorePermille
}

function compared(one: ReviewCase, other: ReviewCase, order: CaseOrder): number {
  const [value, than] = [valueIn(one, order), valueIn(other, order)]
  if (value !== than) return value < than ? -1 : 1
  return one.caseNumber - other.caseNumber
}

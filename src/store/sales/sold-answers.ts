/**
 * What was sold. The unit that delivers an answer writes one row, which waits. A later unit puts many such rows into the list, whose indexes would
 * make the delivery slower.
 */
import { asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import {
  bind,
  bound,
  changed,
  first,
  inOrder,
  type QueryBuilder,
  query,
  rows,
  type Store,
  type Tables,
  type Unit,
  write,
} from "../engine/unit.ts"
import { type NamedParty, partyKeys } from "./party-keys.ts"

export interface SoldAnswer {
  readonly requestId: string
  /** RFC 3339. */
  readonly soldAt: string
  readonly product: string
  readonly decision: string
  /** In lower case. */
  readonly payer: string
  /** Hash of the transaction that paid, or that funded the job, in lower case. */
  readonly tx: string
  /** Decision id or execution id. */
  readonly answerId: string
  readonly deliveryReference: string
  /** The name of the party that it is about, as the list shows it. */
  readonly supplier: string
}

interface PartyOfAnswer extends Pick<SoldAnswer, "supplier"> {
  /** A JSON array. */
  readonly partyKeys: string
}

type WaitingAnswer = SoldAnswer & PartyOfAnswer

/** Answers that one unit puts into the list. */
const LISTED_AT_ONCE = 128
/** Characters of a supplier's name in the list. A request has at most as many. */
const SUPPLIER_CHARACTERS_MAX = 350

const put = write((db, t) =>
  db.insert(t.soldWaiting).values({
    requestId: bind("requestId"),
    soldAt: bind("soldAt"),
    product: bind("product"),
    decision: bind("decision"),
    payer: bind("payer"),
    tx: bind("tx"),
    answerId: bind("answerId"),
    deliveryReference: bind("deliveryReference"),
    supplier: bind("supplier"),
    partyKeys: bind("partyKeys"),
  }),
)

/** In the unit that delivers. It takes any text of a party, because nothing may fail after money moved. */
export function* keepSold(answer: Omit<SoldAnswer, "supplier">, party: NamedParty): Unit<void> {
  yield* changed(put, { ...soldAbout(answer, party) })
}

/** The answer with what its party gives it. */
export function soldAbout<Answer>(answer: Answer, party: NamedParty): Answer & PartyOfAnswer {
  return { ...answer, supplier: shownName(party), partyKeys: JSON.stringify(partyKeys(party)) }
}

/** A register's name is not limited by the schema of a request. */
function shownName({ names, identifiers }: NamedParty): string {
  const name = names.find((one) => one !== "") ?? identifiers[0] ?? ""
  if (name.length <= SUPPLIER_CHARACTERS_MAX && name.isWellFormed() && !name.includes("\0")) return name
  return [...name.replaceAll("\0", "").toWellFormed()].slice(0, SUPPLIER_CHARACTERS_MAX).join("")
}

/** The transaction in what paid for an answer: the end of `eip155:…/tx/0x…`, or of `eip155:…/job/7#0x…`. */
export function transactionIn(reference: string): string {
  return reference.slice(Math.max(reference.lastIndexOf("/"), reference.lastIndexOf("#")) + 1).toLowerCase()
}

/** In the order of the table. */
const TEXTS = [
  "requestId",
  "soldAt",
  "product",
  "decision",
  "payer",
  "tx",
  "answerId",
  "deliveryReference",
  "supplier",
] as const satisfies readonly (keyof SoldAnswer)[]

const waiting = query((db, { soldWaiting: t }) => db.select().from(t).orderBy(asc(t.requestId)).limit(LISTED_AT_ONCE))
const anyWaiting = query((db, { soldWaiting: t }) =>
  db.select({ requestId: t.requestId }).from(t).orderBy(asc(t.requestId)).limit(1),
)
const newestSeq = query((db, { soldAnswer: t }) => db.select({ seq: t.seq }).from(t).orderBy(desc(t.seq)).limit(1))
const insert = write((db, { soldAnswer: t }, words) =>
  db
    .insert(t)
    .select(
      sql`select ${words.integer(0)}, ${sql.join(
        TEXTS.map((_, at) => words.text(at + 1)),
        sql`, `,
      )}, 1 from ${words.each(bind("answers"))} where true`,
    )
    .onConflictDoNothing(),
)
const insertParties = write((db, { soldAnswer: a, soldParty: t }, words) =>
  db
    .insert(t)
    .select(
      sql`select ${words.text(0)}, ${words.text(1)}, ${a.seq} from ${words.each(bind("parties"))} join ${a} on ${a.requestId} = ${words.text(2)} where true`,
    )
    .onConflictDoNothing(),
)
const remove = write((db, { soldWaiting: t }, words) =>
  db.delete(t).where(inArray(t.requestId, sql`(select ${words.wholeText} from ${words.each(bind("ids"))})`)),
)

/** Puts the answers into the list, in a unit that holds the order. One that is in it already stays as it is. */
export function* listAnswers(answers: readonly WaitingAnswer[]): Unit<void> {
  // Two such units side by side would take the same numbers.
  yield* inOrder("sequencing")
  const newest = (yield* first(newestSeq))?.seq ?? 0
  const parties = answers.flatMap(({ soldAt, requestId, partyKeys: keys }) =>
    (JSON.parse(keys) as string[]).map((key) => [key, soldAt, requestId]),
  )
  const values = answers.map((answer, at) => [newest + 1 + at, ...TEXTS.map((name) => answer[name])])
  yield* changed(insert, { answers: JSON.stringify(values) })
  yield* changed(insertParties, { parties: JSON.stringify(parties) })
}

function* listSome(): Unit<number> {
  yield* inOrder("sequencing")
  const answers = yield* rows(waiting)
  if (answers.length === 0) return 0
  yield* listAnswers(answers)
  yield* changed(remove, { ids: JSON.stringify(answers.map(({ requestId }) => requestId)) })
  return answers.length
}

/** Lists the answers that waited when it was called. Takes the order only if one waits. */
export async function listWaiting(store: Pick<Store, "read" | "run">): Promise<void> {
  if (!(await store.read(() => first(anyWaiting)))) return
  while ((await store.run(listSome, "sequencing")) === LISTED_AT_ONCE);
}

/** The request, and the one whose answer replaced its late one and has no payment of its own. */
function paidTogether(db: QueryBuilder, { redelivery: t }: Tables): SQL {
  const replacement = db
    .select({ usedBy: t.usedBy })
    .from(t)
    .where(eq(t.requestId, bind("requestId")))
  return sql`(${bind("requestId")}, ${replacement})`
}

const moveWaiting = write((db, t) =>
  db
    .update(t.soldWaiting)
    .set({ tx: bound("tx") })
    .where(inArray(t.soldWaiting.requestId, paidTogether(db, t))),
)
const moveListed = write((db, t) =>
  db
    .update(t.soldAnswer)
    .set({ tx: bound("tx") })
    .where(inArray(t.soldAnswer.requestId, paidTogether(db, t))),
)

/**
 * Another transaction carries the payment of this request now. The answer that replaced its late one follows. It holds an order, so that no unit
 * lists the answers meanwhile with the transaction of before.
 */
export function* referSold(requestId: string, reference: string): Unit<void> {
  yield* inOrder("log")
  const tx = transactionIn(reference)
  yield* changed(moveWaiting, { requestId, tx })
  yield* changed(moveListed, { requestId, tx })
}

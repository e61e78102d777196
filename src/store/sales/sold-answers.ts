/** What was sold: a row for each delivered answer, with the keys of the party that it is about. Only the operator's list reads it. */
import { eq, sql } from "drizzle-orm"
import { type NamedParty, partyKeys } from "../../core/party-keys.ts"
import { bind, bound, changed, type Unit, write } from "../engine/unit.ts"

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
}

/** Characters of a supplier's name in the list. A request has at most as many. */
const SUPPLIER_CHARACTERS_MAX = 350

const insert = write((db, t) =>
  db
    .insert(t.soldAnswer)
    .values({
      requestId: bind("requestId"),
      soldAt: bind("soldAt"),
      product: bind("product"),
      decision: bind("decision"),
      payer: bind("payer"),
      tx: bind("tx"),
      answerId: bind("answerId"),
      deliveryReference: bind("deliveryReference"),
      supplier: bind("supplier"),
    })
    .onConflictDoNothing(),
)
const insertParties = write((db, { soldAnswer, soldParty: t }, words) =>
  db
    .insert(t)
    .select(
      sql`select ${words.wholeText}, ${bind("soldAt")}, ${words.lastNumber(soldAnswer.id)} from ${words.each(bind("keys"))} where true`,
    )
    .onConflictDoNothing(),
)

/** Returns false if the answer has its row. It keeps any text, because nothing may fail after money moved. */
export function* keepSold(answer: SoldAnswer, party: NamedParty): Unit<boolean> {
  const supplier = shownName(party)
  if ((yield* changed(insert, { ...answer, supplier })) === 0) return false
  const keys = partyKeys(party)
  if (keys.length > 0) yield* changed(insertParties, { soldAt: answer.soldAt, keys: JSON.stringify(keys) })
  return true
}

/** A register's name is not limited by the schema of a request. */
function shownName({ names, identifiers }: NamedParty): string {
  const name = names.find((one) => one !== "") ?? identifiers[0] ?? ""
  return [...name.replaceAll("\0", "").toWellFormed()].slice(0, SUPPLIER_CHARACTERS_MAX).join("")
}

/** The transaction in what paid for an answer: the end of `eip155:…/tx/0x…`, or of `eip155:…/job/7#0x…`. */
export function transactionIn(reference: string): string {
  return reference.slice(Math.max(reference.lastIndexOf("/"), reference.lastIndexOf("#")) + 1).toLowerCase()
}

const moveTransaction = write((db, { soldAnswer: t }) =>
  db
    .update(t)
    .set({ tx: bound("tx") })
    .where(
      eq(
        t.tx,
        db
          .select({ tx: t.tx })
          .from(t)
          .where(eq(t.requestId, bind("requestId"))),
      ),
    ),
)

/** Another transaction carries the payment of this request now. Every answer that the first one paid for follows. */
export function* referSold(requestId: string, reference: string): Unit<void> {
  yield* changed(moveTransaction, { requestId, tx: transactionIn(reference) })
}

/**
 * What a running or delivered request reserves against other requests of its owner: an organization, or the payer of an answer
 * (rulings 44, 45).
 */
import { and, asc, eq, inArray, lt, notExists, type SQLWrapper, sql } from "drizzle-orm"
import { isTrue, safeInteger } from "../engine/expressions.ts"
import { bind, changed, first, type QueryBuilder, query, rows, type Tables, type Unit, write } from "../engine/unit.ts"
import { indexedKey } from "../indexed-key.ts"
import { CLAIMING_PURCHASES } from "./purchases.ts"

type HoldKind = "OBLIGATION" | "MANDATE_ID" | "MANDATE_NONCE" | "CHALLENGE" | "CHANGE_AUTHORIZATION" | "SUPPLIER"

export type Hold = SingleHold | SupplierHold

/** One request has it. */
interface SingleHold {
  readonly kind: Exclude<HoldKind, "SUPPLIER">
  readonly value: string
}

/** Requests for one destination share it. A request for another destination conflicts. */
interface SupplierHold {
  readonly kind: "SUPPLIER"
  readonly value: string
  readonly destination: string
}

/** Of these the record remains, not the hold. */
const UNSPENT: readonly HoldKind[] = ["OBLIGATION", "SUPPLIER"]

/** Purchases of request `requestId` that were paid or may still be. */
const claiming = (db: QueryBuilder, t: Tables, requestId: SQLWrapper) =>
  db
    .select({ id: t.purchase.id })
    .from(t.purchase)
    .where(and(eq(t.purchase.requestId, requestId), inArray(t.purchase.state, CLAIMING_PURCHASES)))

/** `holds`: JSON of the kind and the value of each hold. */
const insert = write((db, t, words) => {
  const hasAttempt = isTrue(sql`exists ${claiming(db, t, bind("requestId"))}`)
  return db
    .insert(t.authorityHold)
    .select(
      sql`select ${bind("ownerId")}, ${words.text(0)}, ${words.text(1)}, ${bind("requestId")}, 0, ${hasAttempt} from ${words.each(bind("holds"))} where true`,
    )
    .onConflictDoNothing()
})
const holder = query((db, t) =>
  db
    .select({ requestId: t.authorityHold.requestId, spent: t.authorityHold.spent })
    .from(t.authorityHold)
    .where(
      and(
        eq(t.authorityHold.ownerId, bind("ownerId")),
        eq(t.authorityHold.kind, bind("kind")),
        eq(t.authorityHold.value, bind("value")),
      ),
    ),
)

/** The holds of a list. `holds`: JSON of the kind and the value of each. */
const holders = query((db, { authorityHold: t }, words) =>
  db
    .select({ kind: t.kind, value: t.value, requestId: t.requestId, spent: t.spent })
    .from(t)
    .where(
      and(
        eq(t.ownerId, bind("ownerId")),
        sql`(${t.kind}, ${t.value}) in (select ${words.text(0)}, ${words.text(1)} from ${words.each(bind("holds"))})`,
      ),
    ),
)

/** Numbers of the ranges that have a hold. `ranges`: JSON of the beginning, the end and the number of each. */
const heldRanges = query((db, { authorityHold: t }, words) => {
  const ranges = sql`(select ${words.text(0)} as "from", ${words.text(1)} as "to", ${words.integer(2)} as at from ${words.each(bind("ranges"))}) as range`
  const isIn = and(eq(t.ownerId, bind("ownerId")), sql`${t.kind} = 'SUPPLIER'`, sql`${t.value} >= range."from"`)
  return db
    .select({ at: sql`range.at`.mapWith(safeInteger) })
    .from(ranges)
    .where(sql`exists (select 1 from ${t} where ${isIn} and ${t.value} < range."to")`)
})

export type HoldConflict = { readonly kind: HoldKind; readonly spent: boolean }

/** Which other request holds or has spent it; null when it is free or held by `requestId` itself. */
export function* holdConflict(ownerId: string, hold: Hold, requestId: string | null): Unit<HoldConflict | null> {
  return yield* firstConflict(ownerId, [hold], requestId)
}

/** {@link holdConflict} of the first of these holds that has one. */
export function* firstConflict(
  ownerId: string,
  holds: readonly Hold[],
  requestId: string | null,
): Unit<HoldConflict | null> {
  const held = yield* heldOf(
    ownerId,
    holds.filter((hold) => hold.kind !== "SUPPLIER"),
  )
  const ranges = holds.flatMap((hold, at) =>
    hold.kind === "SUPPLIER" ? otherDestinations(hold).map((range) => [...range, at]) : [],
  )
  const taken = ranges.length === 0 ? [] : yield* rows(heldRanges, { ownerId, ranges: JSON.stringify(ranges) })
  for (const [at, hold] of holds.entries()) {
    if (hold.kind === "SUPPLIER") {
      if (taken.some((one) => one.at === at)) return { kind: "SUPPLIER", spent: false }
    } else {
      const found = held.find(({ kind, value }) => kind === hold.kind && value === indexedKey(hold.value))
      if (found && found.requestId !== requestId) return { kind: hold.kind, spent: found.spent === 1 }
    }
  }
  return null
}

interface Held {
  readonly kind: HoldKind
  readonly value: string
  readonly requestId: string
  readonly spent: number
}

/** SQLite finds one hold sooner without a list. */
function* heldOf(ownerId: string, holds: readonly SingleHold[]): Unit<readonly Held[]> {
  const [only] = holds
  if (!only) return []
  if (holds.length > 1) {
    const pairs = holds.map(({ kind, value }) => [kind, indexedKey(value)])
    return yield* rows(holders, { ownerId, holds: JSON.stringify(pairs) })
  }
  const stored = { kind: only.kind, value: indexedKey(only.value) }
  const found = yield* first(holder, { ownerId, ...stored })
  return found ? [{ ...stored, ...found }] : []
}

/** Holds on one supplier lie side by side, by destination, so that those of other destinations are two ranges. */
function otherDestinations({ value, destination }: SupplierHold): [from: string, to: string][] {
  const start = supplierPrefix(value)
  const own = `${start}${destination}`
  return [
    [start, `${own}\n`],
    [`${own}\v`, `${start}~`],
  ]
}

/** JSON has no line feed. */
function supplierPrefix(value: string): string {
  return `${JSON.stringify(indexedKey(value))}\n`
}

function storedValue(hold: Hold, requestId: string): string {
  return hold.kind === "SUPPLIER"
    ? `${supplierPrefix(hold.value)}${hold.destination}\n${requestId}`
    : indexedKey(hold.value)
}

/** The delivered request that has spent it; null if there is none. */
export function* spentBy(ownerId: string, hold: Hold): Unit<string | null> {
  const held = yield* first(holder, { ownerId, kind: hold.kind, value: indexedKey(hold.value) })
  return held?.spent === 1 ? held.requestId : null
}

/** Takes all holds, or returns the first conflict. The caller's unit then returns a refusal and drops the holds it took. */
export function* takeHolds(ownerId: string, requestId: string, holds: readonly Hold[]): Unit<HoldConflict | null> {
  const conflict = yield* firstConflict(ownerId, holds, requestId)
  if (conflict) return conflict
  const stored = holds.map((hold) => [hold.kind, storedValue(hold, requestId)])
  if (stored.length > 0) yield* changed(insert, { ownerId, requestId, holds: JSON.stringify(stored) })
  return null
}

const drop = query((db, t) =>
  db
    .delete(t.authorityHold)
    .where(and(eq(t.authorityHold.requestId, bind("requestId")), eq(t.authorityHold.spent, 0)))
    .returning({ kind: t.authorityHold.kind }),
)

/** The purchase ended unpaid, so others may use its holds. Spent holds stay. */
export function* dropHolds(requestId: string): Unit<void> {
  yield* rows(drop, { requestId })
}

const unspent = query((db, t) =>
  db
    .select({ kind: t.authorityHold.kind })
    .from(t.authorityHold)
    .where(and(eq(t.authorityHold.requestId, bind("requestId")), eq(t.authorityHold.spent, 0)))
    .limit(1),
)

/** Whether the request still has what it reserved. */
export function* hasHolds(requestId: string): Unit<boolean> {
  return (yield* first(unspent, { requestId })) !== undefined
}

const keep = query((db, t) =>
  db
    .update(t.authorityHold)
    .set({ hasAttempt: 1 })
    .where(and(eq(t.authorityHold.requestId, bind("requestId")), eq(t.authorityHold.hasAttempt, 0)))
    .returning({ kind: t.authorityHold.kind }),
)

/** A purchase of the request is open. From now on the code that ends it drops the holds. */
export function* keepHolds(requestId: string): Unit<void> {
  yield* rows(keep, { requestId })
}

const stray = query((db, t) =>
  db
    .select({ requestId: t.authorityHold.requestId })
    .from(t.authorityHold)
    .innerJoin(t.decisionRequest, eq(t.decisionRequest.id, t.authorityHold.requestId))
    .where(
      and(
        eq(t.authorityHold.spent, 0),
        eq(t.authorityHold.hasAttempt, 0),
        lt(t.decisionRequest.updatedAt, bind("before")),
        notExists(claiming(db, t, t.authorityHold.requestId)),
      ),
    )
    .orderBy(
      asc(t.authorityHold.requestId),
      asc(t.authorityHold.ownerId),
      asc(t.authorityHold.kind),
      asc(t.authorityHold.value),
    )
    .limit(64),
)

/** Drops holds of requests without a worker: the process died before it opened a purchase. */
export function* dropStrayHolds(before: string): Unit<void> {
  for (const requestId of new Set((yield* rows(stray, { before })).map((row) => row.requestId)))
    yield* dropHolds(requestId)
}

const spend = query((db, t) =>
  db
    .update(t.authorityHold)
    .set({ spent: 1 })
    .where(eq(t.authorityHold.requestId, bind("requestId")))
    .returning({ kind: t.authorityHold.kind }),
)
const free = query((db, t) =>
  db
    .delete(t.authorityHold)
    .where(and(eq(t.authorityHold.requestId, bind("requestId")), inArray(t.authorityHold.kind, UNSPENT)))
    .returning({ kind: t.authorityHold.kind }),
)

/** The decision was acquired. Its mandate is spent for good; its obligation and its supplier remain as records for later decisions. */
export function* spendHolds(requestId: string): Unit<void> {
  yield* rows(free, { requestId })
  yield* rows(spend, { requestId })
}

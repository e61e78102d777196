/**
 * Leases: one process at a time works on a row. `look_at` is both the next poll and the end of a lease, so a row whose process died becomes due
 * again by itself. It is null once nothing is left to do. Payment attempts have leases of their own (`payments/attempt-leases.ts`).
 */
import { and, asc, eq, gt, type InferSelectModel, isNotNull, lte, type SQL, sql } from "drizzle-orm"
import {
  bind,
  bound,
  first,
  isClockRight,
  type Preparable,
  type Query,
  query,
  rows,
  type Tables,
  type Unit,
} from "./engine/unit.ts"

export interface Lease {
  readonly owner: string
  /** RFC 3339. */
  readonly until: string
}

/** The tables whose rows are leased. */
type LeasedTable = Tables["acpJob"] | Tables["mailIn"] | Tables["mailOut"] | Tables["purgeRound"]
type TableOf<T extends LeasedTable> = (tables: Tables) => T

interface Place {
  readonly id: string
}

interface LeasedPlace extends Place {
  readonly leaseOwner: string | null
}

/**
 * The places that `owner` may take: each of them, or only those that no other process holds or held, while the clock of this process is off. Every
 * unit that takes a lease asks this. A process that takes only what nobody holds can do harm to nobody.
 */
export function* takeable<P extends LeasedPlace>(places: readonly P[], owner: string): Unit<readonly P[]> {
  const isFree = ({ leaseOwner }: P) => leaseOwner === null || leaseOwner === owner
  if (places.every(isFree) || (yield* isClockRight())) return places
  return places.filter(isFree)
}

/** Nobody's row, or one of `owner`. Any row where `others` is 1. */
function isOwnOr({ leaseOwner }: LeasedTable): SQL {
  return sql`(${leaseOwner} is null or ${leaseOwner} = ${bind("owner")} or ${bind("others")} = 1)`
}

function placesWhere(
  tableOf: TableOf<LeasedTable>,
  most: number,
  condition: (t: LeasedTable) => SQL,
): Query<LeasedPlace> {
  return query((db, tables) => {
    const t = tableOf(tables)
    return db
      .select({ id: t.id, leaseOwner: t.leaseOwner })
      .from(t)
      .where(and(isNotNull(t.lookAt), condition(t), isOwnOr(t)))
      .orderBy(asc(t.lookAt), asc(t.id))
      .limit(most)
  })
}

/** The rows that are due at `now`, longest waiting first. */
export function dueRows(tableOf: TableOf<LeasedTable>, most: number): Query<LeasedPlace> {
  return placesWhere(tableOf, most, (t) => lte(t.lookAt, bind("now")))
}

/** The rows whose next poll is after `horizon`. */
export function rowsAhead(tableOf: TableOf<LeasedTable>, most: number): Query<LeasedPlace> {
  return placesWhere(tableOf, most, (t) => gt(t.lookAt, bind("horizon")))
}

/** Leases one row, and counts the attempt if the table counts them. */
export function takeRow<T extends LeasedTable>(tableOf: TableOf<T>): Query<InferSelectModel<T>> {
  return query((db, tables) => {
    const t: LeasedTable = tableOf(tables)
    const taken = db
      .update(t)
      .set({
        leaseOwner: bound("owner"),
        lookAt: bound("until"),
        ...("attempts" in t && { attempts: sql`${t.attempts} + 1` }),
      })
      .where(and(eq(t.id, bind("id")), isNotNull(t.lookAt)))
      .returning()
    return taken as unknown as Preparable<InferSelectModel<T>>
  })
}

/** Ends the lease of `owner` and plans the next poll. `reason`: what the row waits for, if the table has it. */
export function releaseRow(tableOf: TableOf<LeasedTable>): Query<Place> {
  return query((db, tables) => {
    const t = tableOf(tables)
    return db
      .update(t)
      .set({ leaseOwner: null, lookAt: bound("lookAt"), ...("reason" in t && { reason: bound("reason") }) })
      .where(and(eq(t.id, bind("id")), eq(t.leaseOwner, bind("owner")), isNotNull(t.lookAt)))
      .returning({ id: t.id })
  })
}

/** Ends the lease of `owner` on a row that had no turn: it is due now, and its attempt does not count. */
export function dropRow(tableOf: TableOf<LeasedTable>): Query<Place> {
  return query((db, tables) => {
    const t = tableOf(tables)
    return db
      .update(t)
      .set({
        leaseOwner: null,
        lookAt: bound("now"),
        ...("attempts" in t && { attempts: sql`${t.attempts} - 1` }),
      })
      .where(and(eq(t.id, bind("id")), eq(t.leaseOwner, bind("owner")), isNotNull(t.lookAt)))
      .returning({ id: t.id })
  })
}

interface LeaseQueries<Row> {
  readonly due: Query<LeasedPlace>
  readonly ahead: Query<LeasedPlace>
  readonly take: Query<Row>
  /** Limit of rows that one call takes. */
  readonly most: number
}

/** RFC 3339. `horizon`: no poll is planned after it, so a later one comes from a clock that was wrong, and the row is due too. */
export interface DueTimes {
  readonly now: string
  readonly horizon: string
}

function* duePlaces(
  { due, ahead, most }: Pick<LeaseQueries<unknown>, "due" | "ahead" | "most">,
  owner: string,
  { now, horizon }: DueTimes,
): Unit<readonly LeasedPlace[]> {
  const places = function* (others: 0 | 1): Unit<readonly LeasedPlace[]> {
    const found = [...(yield* rows(due, { now, owner, others })), ...(yield* rows(ahead, { horizon, owner, others }))]
    return found.slice(0, most)
  }
  const all = yield* places(1)
  const able = yield* takeable(all, owner)
  // Rows of others may have hidden what this process may take.
  return able.length === all.length ? all : yield* places(0)
}

/** Leases the rows that are due, longest waiting first. `mayTake`: false for a row that must not be taken; it may end the row. */
export function* takeDue<Row>(
  queries: LeaseQueries<Row>,
  { owner, until }: Lease,
  times: DueTimes,
  mayTake?: (id: string) => Unit<boolean>,
): Unit<Row[]> {
  const taken: Row[] = []
  for (const { id } of yield* duePlaces(queries, owner, times)) {
    if (mayTake && !(yield* mayTake(id))) continue
    const row = yield* first(queries.take, { id, owner, until })
    if (row) taken.push(row)
  }
  return taken
}

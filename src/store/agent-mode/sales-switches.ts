/** What the operator stopped, started and scheduled. Rows are only added. */
import { aliasedTable, and, desc, eq, type SQL, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"

/** `ALL`, `BEACON` or a channel id. */
type SwitchScope = string

export interface SwitchRow {
  /** RFC 3339. */
  readonly at: string
  readonly scope: SwitchScope
  readonly action: "STOP" | "START" | "WINDOW"
  /** HH:MM in UTC; null unless the action is WINDOW. */
  readonly opens: string | null
  readonly closes: string | null
  readonly reason: string
}

/** A daily window in UTC, HH:MM. Equal times: always open. */
export interface DailyWindow {
  readonly opens: string
  readonly closes: string
}

const insert = query((db, t) =>
  db
    .insert(t.salesSwitch)
    .values({
      at: bind("at"),
      scope: bind("scope"),
      action: bind("action"),
      opens: bind("opens"),
      closes: bind("closes"),
      reason: bind("reason"),
    })
    .returning({ id: t.salesSwitch.id }),
)

const newestState = query((db, t) =>
  db
    .select()
    .from(t.salesSwitch)
    .where(and(eq(t.salesSwitch.scope, bind("scope")), sql`${t.salesSwitch.action} IN ('STOP', 'START')`))
    .orderBy(desc(t.salesSwitch.id))
    .limit(1),
)

const newestWindow = query((db, t) =>
  db
    .select()
    .from(t.salesSwitch)
    .where(and(eq(t.salesSwitch.scope, bind("scope")), sql`${t.salesSwitch.action} = 'WINDOW'`))
    .orderBy(desc(t.salesSwitch.id))
    .limit(1),
)

/** Two rows of each scope at most, found by their indexes. */
const newestOfAll = query((db, { salesSwitch: t }, words) => {
  const s = aliasedTable(t, "s")
  // The conditions are those of the partial indexes.
  const newest = (isOfKind: SQL) =>
    sql`select (select ${s.id} from ${t} s where ${s.scope} = ${words.wholeText} and ${isOfKind} order by ${s.id} desc limit 1) from ${words.each(bind("scopes"))}`
  const [state, window] = [sql`${s.action} IN ('STOP', 'START')`, sql`${s.action} = 'WINDOW'`]
  return db
    .select()
    .from(t)
    .where(sql`${t.id} in (${newest(state)} union all ${newest(window)})`)
})

export function* recordSwitch(row: SwitchRow): Unit<void> {
  yield* first(insert, { ...row })
}

/** The newest STOP or START. Null: never switched. */
export function* newestSwitch(scope: SwitchScope): Unit<SwitchRow | null> {
  return (yield* first(newestState, { scope })) ?? null
}

export function* isStopped(scope: SwitchScope): Unit<boolean> {
  return (yield* newestSwitch(scope))?.action === "STOP"
}

/** Null: always open. */
export function* windowOf(scope: SwitchScope): Unit<DailyWindow | null> {
  return dailyWindow(yield* first(newestWindow, { scope }))
}

/** How one scope is switched and scheduled. */
export interface ScopeState {
  readonly isStopped: boolean
  /** Null: always open. */
  readonly window: DailyWindow | null
}

/** {@link isStopped} and {@link windowOf} of many scopes, in one query. Every scope is in the result. */
export function* scopeStates(scopes: readonly SwitchScope[]): Unit<ReadonlyMap<SwitchScope, ScopeState>> {
  const found = yield* rows(newestOfAll, { scopes: JSON.stringify(scopes) })
  const ofScope = Map.groupBy(found, ({ scope }) => scope)
  return new Map(
    scopes.map((scope) => {
      const own = ofScope.get(scope) ?? []
      const isStopped = own.some(({ action }) => action === "STOP")
      return [scope, { isStopped, window: dailyWindow(own.find(({ action }) => action === "WINDOW")) }]
    }),
  )
}

function dailyWindow(row: Pick<SwitchRow, "opens" | "closes"> | undefined): DailyWindow | null {
  if (!row || row.opens === null || row.closes === null || row.opens === row.closes) return null
  return { opens: row.opens, closes: row.closes }
}

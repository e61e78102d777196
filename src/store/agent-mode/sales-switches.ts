/** What the operator stopped, started and scheduled. Rows are only added. */
import { and, desc, eq, sql } from "drizzle-orm"
import { bind, first, query, type Unit } from "../unit.ts"

/** `ALL`, `BEACON` or a channel id. */
export type SwitchScope = string

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

const any = query((db, t) => db.select({ id: t.salesSwitch.id }).from(t.salesSwitch).orderBy(t.salesSwitch.id).limit(1))

/** False while the operator has never switched or scheduled anything: then no scope is asked. */
export function* hasSwitches(): Unit<boolean> {
  return (yield* first(any)) !== undefined
}

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
  const row = yield* first(newestWindow, { scope })
  if (!row || row.opens === null || row.closes === null || row.opens === row.closes) return null
  return { opens: row.opens, closes: row.closes }
}

/** What agents left. Rows are only added, and the newest of an agent, scope and value counts. */
import { and, desc, eq, sql } from "drizzle-orm"
import { bind, first, query, type Unit } from "../engine/unit.ts"
import { isVoid } from "../restores.ts"

export interface OptOutSubject {
  readonly agentId: string
  readonly scope: "ALL" | "PRODUCT" | "CHANNEL"
  /** A product or a channel; empty for ALL. */
  readonly value: string
}

export interface OptOutRow extends OptOutSubject {
  readonly action: "OPT_OUT" | "OPT_IN"
  /** RFC 3339. */
  readonly effectiveAt: string
  readonly requestDigest: string
}

const insert = query((db, t) =>
  db
    .insert(t.salesOptOut)
    .values({
      agentId: bind("agentId"),
      scope: bind("scope"),
      value: bind("value"),
      action: bind("action"),
      effectiveAt: bind("effectiveAt"),
      requestDigest: bind("requestDigest"),
    })
    .returning({ id: t.salesOptOut.id }),
)

const newest = query((db, t) =>
  db
    .select({ action: t.salesOptOut.action, effectiveAt: t.salesOptOut.effectiveAt })
    .from(t.salesOptOut)
    .where(
      and(
        eq(t.salesOptOut.agentId, bind("agentId")),
        eq(t.salesOptOut.scope, bind("scope")),
        eq(t.salesOptOut.value, bind("value")),
      ),
    )
    .orderBy(desc(t.salesOptOut.id))
    .limit(1),
)

/** The literal of the condition lets the partial index `sales_opt_out_return` answer. */
const nthReturn = query((db, { salesOptOut: t }) =>
  db
    .select({ effectiveAt: t.effectiveAt })
    .from(t)
    .where(and(eq(t.agentId, bind("agentId")), sql`${t.action} = 'OPT_IN'`))
    .orderBy(desc(t.id))
    .limit(1)
    .offset(bind("others")),
)

const any = query((db, t) =>
  db
    .select({ id: t.salesOptOut.id })
    .from(t.salesOptOut)
    .where(eq(t.salesOptOut.agentId, bind("agentId")))
    .orderBy(t.salesOptOut.scope, t.salesOptOut.value, t.salesOptOut.id)
    .limit(1),
)

/** False while the agent has never left anything: then no subject is asked. */
export function* hasOptedOut(agentId: string): Unit<boolean> {
  return (yield* first(any, { agentId })) !== undefined
}

export function* recordOptOut(row: OptOutRow): Unit<void> {
  yield* first(insert, { ...row })
}

/** What the agent last said about exactly this. Null: nothing. */
export function* newestOptOut({
  agentId,
  scope,
  value,
}: OptOutSubject): Unit<Pick<OptOutRow, "action" | "effectiveAt"> | null> {
  return (yield* first(newest, { agentId, scope, value })) ?? null
}

/**
 * Whether the agent left exactly this. An agent that left ALL is asked about with ALL. A return from before a restore does not count: the
 * agent may have left again in the lost hours.
 */
export function* isOptedOut(subject: OptOutSubject): Unit<boolean> {
  const newest = yield* newestOptOut(subject)
  return newest !== null && (newest.action === "OPT_OUT" || (yield* isVoid(newest.effectiveAt)))
}

/** When the agent came back for the `count`-th time, counted from the newest and from 1. Null: it came back less often. */
export function* nthNewestReturn(agentId: string, count: number): Unit<string | null> {
  return (yield* first(nthReturn, { agentId, others: count - 1 }))?.effectiveAt ?? null
}

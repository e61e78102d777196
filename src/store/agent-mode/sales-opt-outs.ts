/** What agents left. Rows are only added, and the newest of an agent, scope and value counts. */
import { and, desc, eq } from "drizzle-orm"
import { bind, first, query, type Unit } from "../unit.ts"

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
    .select({ action: t.salesOptOut.action })
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

/** Whether the agent left exactly this. An agent that left ALL is asked about with ALL. */
export function* isOptedOut({ agentId, scope, value }: OptOutSubject): Unit<boolean> {
  return (yield* first(newest, { agentId, scope, value }))?.action === "OPT_OUT"
}

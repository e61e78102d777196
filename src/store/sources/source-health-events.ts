/** Changes of the sources' health, as a running service judged it. Each is appended once, by the first process that sees it. */
import { and, desc, eq, lte } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"

/** Per source; older ones are deleted. A list that changes state every hour fills this in six weeks. */
export const HEALTH_EVENTS_KEPT = 1000

interface JudgedHealth {
  readonly sourceId: string
  readonly health: HealthEventRow["toHealth"]
  readonly reasonCodes: readonly string[]
  readonly snapshotId: string | null
}

export interface HealthEventRow {
  readonly id: number
  readonly sourceId: string
  /** RFC 3339. */
  readonly at: string
  /** Null for the first judgement of a source. */
  readonly fromHealth: string | null
  readonly toHealth: "HEALTHY" | "STALE" | "SCHEMA_BREAK" | "UNAVAILABLE" | "DISABLED"
  /** JSON array. */
  readonly reasonCodes: string
  readonly snapshotId: string | null
}

const newest = query((db, t) =>
  db
    .select()
    .from(t.sourceHealthEvent)
    .where(eq(t.sourceHealthEvent.sourceId, bind("sourceId")))
    .orderBy(desc(t.sourceHealthEvent.id))
    .limit(1),
)
const firstBeyond = query((db, t) =>
  db
    .select({ id: t.sourceHealthEvent.id })
    .from(t.sourceHealthEvent)
    .where(eq(t.sourceHealthEvent.sourceId, bind("sourceId")))
    .orderBy(desc(t.sourceHealthEvent.id))
    .limit(1)
    .offset(HEALTH_EVENTS_KEPT),
)
const letGo = query((db, t) =>
  db
    .delete(t.sourceHealthEvent)
    .where(and(eq(t.sourceHealthEvent.sourceId, bind("sourceId")), lte(t.sourceHealthEvent.id, bind("id"))))
    .returning({ id: t.sourceHealthEvent.id }),
)
const append = query((db, t) =>
  db
    .insert(t.sourceHealthEvent)
    .values({
      sourceId: bind("sourceId"),
      at: bind("at"),
      fromHealth: bind("fromHealth"),
      toHealth: bind("toHealth"),
      reasonCodes: bind("reasonCodes"),
      snapshotId: bind("snapshotId"),
    })
    .returning(),
)

/** Appends and returns each judgement that differs from the last record of its source. Two processes that see one change record it once. */
export function* recordHealth(judged: readonly JudgedHealth[], at: string): Unit<HealthEventRow[]> {
  const appended: HealthEventRow[] = []
  for (const { sourceId, health, reasonCodes, snapshotId } of judged) {
    const last = yield* first(newest, { sourceId })
    if (last?.toHealth === health) continue
    const values = { sourceId, at, fromHealth: last?.toHealth ?? null, toHealth: health, snapshotId }
    appended.push(...(yield* rows(append, { ...values, reasonCodes: JSON.stringify(reasonCodes) })))
    const beyond = yield* first(firstBeyond, { sourceId })
    if (beyond) yield* rows(letGo, { sourceId, id: beyond.id })
  }
  return appended
}

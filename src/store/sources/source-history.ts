/** History of the sources, newest first: imports, refusals, rollbacks, acceptances by the operator, and changes of health. */
import { desc, eq } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import type { AcceptanceRow } from "./source-acceptances.ts"
import type { HealthEventRow } from "./source-health-events.ts"

interface SourceEventRow {
  readonly id: number
  readonly sourceId: string
  /** RFC 3339. */
  readonly at: string
  readonly kind: "IMPORTED" | "REFUSED" | "ROLLED_BACK"
  readonly snapshotId: string | null
  readonly rawSha256: string
  /** JSON array of findings. */
  readonly detail: string
}

export interface SourceHistory {
  readonly changes: readonly SourceEventRow[]
  readonly health: readonly HealthEventRow[]
  readonly acceptances: readonly AcceptanceRow[]
}

const changes = query((db, t) => db.select().from(t.sourceEvent).orderBy(desc(t.sourceEvent.id)).limit(bind("limit")))
const changesOf = query((db, t) =>
  db
    .select()
    .from(t.sourceEvent)
    .where(eq(t.sourceEvent.sourceId, bind("sourceId")))
    .orderBy(desc(t.sourceEvent.id))
    .limit(bind("limit")),
)
const health = query((db, t) =>
  db.select().from(t.sourceHealthEvent).orderBy(desc(t.sourceHealthEvent.id)).limit(bind("limit")),
)
const healthOf = query((db, t) =>
  db
    .select()
    .from(t.sourceHealthEvent)
    .where(eq(t.sourceHealthEvent.sourceId, bind("sourceId")))
    .orderBy(desc(t.sourceHealthEvent.id))
    .limit(bind("limit")),
)

const acceptances = query((db, t) =>
  db.select().from(t.sourceAcceptance).orderBy(desc(t.sourceAcceptance.id)).limit(bind("limit")),
)
const acceptancesOf = query((db, t) =>
  db
    .select()
    .from(t.sourceAcceptance)
    .where(eq(t.sourceAcceptance.sourceId, bind("sourceId")))
    .orderBy(desc(t.sourceAcceptance.id))
    .limit(bind("limit")),
)

/** The newest `limit` of each kind, of one source or of all. */
export function* sourceHistory(sourceId: string | null, limit: number): Unit<SourceHistory> {
  if (sourceId === null) {
    return {
      changes: yield* rows(changes, { limit }),
      health: yield* rows(health, { limit }),
      acceptances: yield* rows(acceptances, { limit }),
    }
  }
  return {
    changes: yield* rows(changesOf, { sourceId, limit }),
    health: yield* rows(healthOf, { sourceId, limit }),
    acceptances: yield* rows(acceptancesOf, { sourceId, limit }),
  }
}

/**
 * Identities whose newest event is from before a restore: a later event may be lost, so their status is UNKNOWN. It ends with the next event,
 * with a confirmation of the operator, or with the declaration that the backup was the newest state.
 */
import { and, asc, eq, gt, lt, notInArray, sql } from "drizzle-orm"
import { formatInstant } from "../../core/time.ts"
import { isPausedByRestore, recordConfirmation } from "../confirmations.ts"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { voidBefore } from "../restores.ts"

/** Identities that one list shows at most. */
export const PAUSED_AGENTS_LISTED = 1_000

interface AgentHead {
  readonly agentId: string
  /** RFC 3339. */
  readonly headAcceptedAt: string
}

export function isStatusUnknown({ agentId, headAcceptedAt }: AgentHead): Unit<boolean> {
  return isPausedByRestore("AGENT", { subject: agentId, createdAt: headAcceptedAt })
}

const byId = query((db, { agent: t }) =>
  db
    .select({ agentId: t.agentId, headAcceptedAt: t.headAcceptedAt, identityStatus: t.identityStatus })
    .from(t)
    .where(eq(t.agentId, bind("agentId"))),
)

const older = query((db, { agent: t, serviceIdentity, restoreConfirmation: c }) =>
  db
    .select({ agentId: t.agentId, headAcceptedAt: t.headAcceptedAt })
    .from(t)
    .where(
      and(
        gt(t.agentId, bind("after")),
        eq(t.identityStatus, sql`'ACTIVE'`),
        lt(t.headAcceptedAt, bind("before")),
        // The service's own identities go with its key files.
        notInArray(t.agentId, db.select({ agentId: serviceIdentity.agentId }).from(serviceIdentity)),
        sql`not exists (select 1 from ${c} where ${c.kind} = 'AGENT' and ${c.subject} = ${t.agentId} and ${c.confirmedAt} >= ${bind("before")})`,
      ),
    )
    .orderBy(asc(t.agentId))
    .limit(PAUSED_AGENTS_LISTED),
)

/** Identities of status UNKNOWN with an id after `after`, in the order of their ids, at most {@link PAUSED_AGENTS_LISTED}. */
export function* pausedAgents(after = ""): Unit<AgentHead[]> {
  const before = yield* voidBefore()
  return before === null ? [] : yield* rows(older, { after, before: formatInstant(before) })
}

interface AgentConfirmation {
  readonly agentIds: readonly string[]
  /** RFC 3339. */
  readonly at: string
  readonly author: string
  readonly reason: string
}

/** After a restore: these identities count again. Writes nothing unless each is known and not revoked. */
export function* confirmAgents({
  agentIds,
  at: confirmedAt,
  author,
  reason,
}: AgentConfirmation): Unit<"CONFIRMED" | "UNKNOWN" | "NOT_PAUSED"> {
  const paused: string[] = []
  for (const agentId of agentIds) {
    const found = yield* first(byId, { agentId })
    if (found?.identityStatus !== "ACTIVE") return "UNKNOWN"
    if (yield* isStatusUnknown(found)) paused.push(agentId)
  }
  if (paused.length === 0) return "NOT_PAUSED"
  for (const subject of paused) yield* recordConfirmation({ kind: "AGENT", subject, confirmedAt, author, reason })
  return "CONFIRMED"
}

import { and, eq, sql } from "drizzle-orm"
import { bind, first, query, type Unit } from "../engine/unit.ts"

const revoked = query((db, t) =>
  db
    .select({ executionId: t.authorizationToken.executionId })
    .from(t.authorizationToken)
    .where(
      and(eq(t.authorizationToken.executionId, bind("executionId")), eq(t.authorizationToken.state, sql`'REVOKED'`)),
    ),
)

/** Whether the token sold with the answer of this execution was revoked, which revokes what it authorized. */
export function* isRevoked(executionId: string): Unit<boolean> {
  return (yield* first(revoked, { executionId })) !== undefined
}

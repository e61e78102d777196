import { and, eq, sql } from "drizzle-orm"
import { bind, first, query, type Unit } from "./unit.ts"

const revoked = query((db, t) =>
  db
    .select({ requestId: t.authorizationToken.requestId })
    .from(t.authorizationToken)
    .where(and(eq(t.authorizationToken.requestId, bind("requestId")), eq(t.authorizationToken.state, sql`'REVOKED'`))),
)

/** Whether the token that was sold with the answer of this request was revoked: what it authorized was taken back. */
export function* isRevoked(requestId: string): Unit<boolean> {
  return (yield* first(revoked, { requestId })) !== undefined
}

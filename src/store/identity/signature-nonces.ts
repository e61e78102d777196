import { and, asc, count, desc, eq, gt, inArray, lte, min } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../unit.ts"

/** Expired rows that one record removes: more than one, so that purging keeps up with recording; few, so that the lock stays short. */
const PURGED_AT_ONCE = 64

const purge = query((db, t) =>
  db
    .delete(t.signatureNonce)
    .where(
      inArray(
        t.signatureNonce.id,
        db
          .select({ id: t.signatureNonce.id })
          .from(t.signatureNonce)
          .where(lte(t.signatureNonce.expiresAt, bind("at")))
          .orderBy(asc(t.signatureNonce.expiresAt))
          .limit(PURGED_AT_ONCE),
      ),
    )
    .returning({ id: t.signatureNonce.id }),
)

const purgeOne = query((db, t) =>
  db
    .delete(t.signatureNonce)
    .where(and(eq(t.signatureNonce.nonceDigest, bind("nonceDigest")), lte(t.signatureNonce.expiresAt, bind("at"))))
    .returning({ id: t.signatureNonce.id }),
)

const live = query((db, t) =>
  db
    .select({ recordId: t.signatureNonce.recordId })
    .from(t.signatureNonce)
    .where(eq(t.signatureNonce.nonceDigest, bind("nonceDigest"))),
)

const ofAgent = query((db, t) =>
  db
    .select({ recorded: count(), nextExpiry: min(t.signatureNonce.expiresAt) })
    .from(t.signatureNonce)
    .where(and(eq(t.signatureNonce.agentId, bind("agentId")), gt(t.signatureNonce.expiresAt, bind("at")))),
)

const oldest = query((db, t) =>
  db
    .select({ id: t.signatureNonce.id, expiresAt: t.signatureNonce.expiresAt })
    .from(t.signatureNonce)
    .orderBy(asc(t.signatureNonce.id))
    .limit(1),
)

const newest = query((db, t) =>
  db.select({ id: t.signatureNonce.id }).from(t.signatureNonce).orderBy(desc(t.signatureNonce.id)).limit(1),
)

const insert = query((db, t) =>
  db
    .insert(t.signatureNonce)
    .values({
      nonceDigest: bind("nonceDigest"),
      recordId: bind("recordId"),
      agentId: bind("agentId"),
      expiresAt: bind("expiresAt"),
    })
    .onConflictDoNothing()
    .returning({ id: t.signatureNonce.id }),
)

export interface NonceRecord {
  readonly nonceDigest: string
  readonly recordId: string
  /** True when the verifier chose the nonce; then an equal record is its own repeat. */
  readonly isRepeatable: boolean
  readonly agentId: string
  readonly at: string
  readonly expiresAt: string
  readonly perAgentMax: number
  readonly inAllMax: number
}

export type RecordOutcome =
  | { readonly kind: "RECORDED" | "SEEN" }
  /** `nextExpiry`: when the first record expires. */
  | { readonly kind: "AGENT_CAP" | "TOTAL_CAP"; readonly nextExpiry: string }

/** Records a nonce once. Call it only for a statement that verified. Of two parallel calls one returns SEEN. */
export function* recordNonce(record: NonceRecord): Unit<RecordOutcome> {
  const { isRepeatable, perAgentMax, inAllMax, ...row } = record
  yield* rows(purge, row)
  yield* rows(purgeOne, row)
  const known = yield* first(live, row)
  if (known) return { kind: isRepeatable && known.recordId === row.recordId ? "RECORDED" : "SEEN" }
  const own = yield* first(ofAgent, row)
  if (own?.nextExpiry && own.recorded >= perAgentMax) return { kind: "AGENT_CAP", nextExpiry: own.nextExpiry }
  const from = yield* first(oldest)
  const to = yield* first(newest)
  if (from && to && to.id - from.id + 1 >= inAllMax) return { kind: "TOTAL_CAP", nextExpiry: from.expiresAt }
  return { kind: (yield* first(insert, row)) ? "RECORDED" : "SEEN" }
}

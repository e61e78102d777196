import { and, eq, lte } from "drizzle-orm"
import { bind, changed, first, query, rows, type Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { PURGED_AT_ONCE, purgeOf } from "../purge.ts"

const purge = purgeOf(({ signatureNonce: t }) => ({
  key: [t.id],
  where: lte(t.expiresAt, bind("at")),
  order: [t.expiresAt],
}))

const removeEnded = query((db, t) =>
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

interface NonceRecord {
  readonly nonceDigest: string
  readonly recordId: string
  /** True when the verifier chose the nonce; then an equal record is its own repeat. */
  readonly isRepeatable: boolean
  readonly agentId: string
  readonly at: string
  readonly expiresAt: string
  readonly writer: FreeWriter
}

type RecordOutcome = { readonly kind: "RECORDED" | "SEEN" } | NotAdmitted

/** Records a nonce once. Call it only for a statement that verified. Of two parallel calls one returns SEEN. */
export function* recordNonce(record: NonceRecord): Unit<RecordOutcome> {
  const { isRepeatable, writer, ...row } = record
  yield* rows(removeEnded, row)
  const known = yield* first(live, row)
  if (known) return { kind: isRepeatable && known.recordId === row.recordId ? "RECORDED" : "SEEN" }
  const refused = yield* admit("NONCES", writer, { agent: row.agentId })
  if (refused) return refused
  return { kind: (yield* first(insert, row)) ? "RECORDED" : "SEEN" }
}

/** Removes at most {@link PURGED_AT_ONCE} expired nonces, the oldest first; returns how many. */
export function* purgeSignatureNonces(at: string): Unit<number> {
  return yield* changed(purge, { at })
}

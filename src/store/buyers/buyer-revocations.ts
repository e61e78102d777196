/** Revocations by organizations. The first valid revocation of a subject is final; a repeat gets the same response. */
import { and, eq } from "drizzle-orm"
import { ONE_ROW } from "../engine/expressions.ts"
import { bind, first, query, type Unit } from "../engine/unit.ts"
import { restoresOf } from "../restores.ts"

export type RevocationKind = "DELEGATION" | "MANDATE"

export interface Revocation {
  readonly organizationId: string
  readonly kind: RevocationKind
  readonly subjectId: string
  readonly contentDigest: string
  readonly document: string
  readonly answer: string
  readonly signedByKeyId: string
  readonly revokedAt: string
}

const insert = query((db, t) =>
  db
    .insert(t.buyerRevocation)
    .values({
      organizationId: bind("organizationId"),
      kind: bind("kind"),
      subjectId: bind("subjectId"),
      contentDigest: bind("contentDigest"),
      document: bind("document"),
      answer: bind("answer"),
      signedByKeyId: bind("signedByKeyId"),
      revokedAt: bind("revokedAt"),
    })
    .onConflictDoNothing()
    .returning({ subjectId: t.buyerRevocation.subjectId }),
)
/** One row, also without a revocation. */
const bySubject = query((db, t) =>
  db
    .select({ revocation: t.buyerRevocation, restores: restoresOf(t) })
    .from(ONE_ROW)
    .leftJoin(
      t.buyerRevocation,
      and(
        eq(t.buyerRevocation.organizationId, bind("organizationId")),
        eq(t.buyerRevocation.kind, bind("kind")),
        eq(t.buyerRevocation.subjectId, bind("subjectId")),
      ),
    ),
)

export function* findRevocation(
  organizationId: string,
  kind: RevocationKind,
  subjectId: string,
): Unit<Revocation | null> {
  return (yield* readRevocation(organizationId, kind, subjectId)).revocation
}

/** With the value of {@link restoresOf}. */
export function* readRevocation(organizationId: string, kind: RevocationKind, subjectId: string) {
  return (yield* first(bySubject, { organizationId, kind, subjectId })) ?? { revocation: null, restores: null }
}

/** Returns false when the subject is already revoked. */
export function* insertRevocation(revocation: Revocation): Unit<boolean> {
  return (yield* first(insert, { ...revocation })) !== undefined
}

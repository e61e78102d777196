/** Revocations by organizations. The first valid revocation of a subject is final; a repeat gets the same response. */
import { and, eq } from "drizzle-orm"
import { bind, first, query, type Unit } from "../engine/unit.ts"

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
const bySubject = query((db, t) =>
  db
    .select()
    .from(t.buyerRevocation)
    .where(
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
  return (yield* first(bySubject, { organizationId, kind, subjectId })) ?? null
}

/** Returns false when the subject is already revoked. */
export function* insertRevocation(revocation: Revocation): Unit<boolean> {
  return (yield* first(insert, { ...revocation })) !== undefined
}

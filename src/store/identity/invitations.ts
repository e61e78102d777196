import { eq } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"

export interface Invitation {
  /** 24 random bytes, base64url. */
  readonly reference: string
  readonly createdAt: string
}

const insert = query((db, t) =>
  db
    .insert(t.invitation)
    .values({ reference: bind("reference"), createdAt: bind("createdAt") })
    .returning({ reference: t.invitation.reference }),
)

const byReference = query((db, t) =>
  db
    .select({ reference: t.invitation.reference, createdAt: t.invitation.createdAt })
    .from(t.invitation)
    .where(eq(t.invitation.reference, bind("reference"))),
)

/** `reference` must be random. If it exists already, the random source is broken; the function throws this as a bug. */
export function* issueInvitation(invitation: Invitation): Unit<void> {
  yield* rows(insert, { ...invitation })
}

export function* findInvitation(reference: string): Unit<Invitation | null> {
  return (yield* first(byReference, { reference })) ?? null
}

/**
 * Rights that a restore pauses and a person confirms one by one. A right from before the restore may have been taken back in the lost hours.
 * It is paused while a restore without the declaration that the backup was the newest state is later than the right and than its newest
 * confirmation.
 */
import { and, desc, eq } from "drizzle-orm"
import type { restoreConfirmation } from "../../db/tables/restore-confirmation.ts"
import { instant } from "../core/time.ts"
import { bind, first, query, rows, type Unit } from "./engine/unit.ts"
import { voidBefore } from "./restores.ts"

type ConfirmedKind = (typeof restoreConfirmation.$inferSelect)["kind"]

export interface Confirmation {
  readonly kind: ConfirmedKind
  readonly subject: string
  /** RFC 3339. */
  readonly confirmedAt: string
  readonly author: string
  readonly reason: string
}

const insert = query((db, t) =>
  db
    .insert(t.restoreConfirmation)
    .values({
      kind: bind("kind"),
      subject: bind("subject"),
      confirmedAt: bind("confirmedAt"),
      author: bind("author"),
      reason: bind("reason"),
    })
    .onConflictDoNothing()
    .returning({ subject: t.restoreConfirmation.subject }),
)
const newestOf = query((db, { restoreConfirmation: t }) =>
  db
    .select({ confirmedAt: t.confirmedAt })
    .from(t)
    .where(and(eq(t.kind, bind("kind")), eq(t.subject, bind("subject"))))
    .orderBy(desc(t.confirmedAt))
    .limit(1),
)

export function* recordConfirmation(confirmation: Confirmation): Unit<void> {
  yield* rows(insert, { ...confirmation })
}

interface Confirmable {
  readonly subject: string
  /** RFC 3339. */
  readonly createdAt: string
}

export function* isPausedByRestore(kind: ConfirmedKind, confirmable: Confirmable): Unit<boolean> {
  return yield* isPausedSince(yield* voidBefore(), kind, confirmable)
}

/** The same for a caller who has read `before`, which is `voidBefore` of the restores. */
export function* isPausedSince(
  before: number | null,
  kind: ConfirmedKind,
  { subject, createdAt }: Confirmable,
): Unit<boolean> {
  if (before === null || instant(createdAt) >= before) return false
  const confirmed = yield* first(newestOf, { kind, subject })
  return confirmed === undefined || instant(confirmed.confirmedAt) < before
}

/** The subject of a mandate key. */
export function mandateKeySubject(organizationId: string, keyId: string): string {
  return `${organizationId}\n${keyId}`
}

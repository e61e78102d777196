/**
 * Numbers of changes: each change of a subject adds one, in the unit that makes it. A running service that finds another number than before reads
 * the subject again.
 */
import { eq, sql } from "drizzle-orm"
import { bind, changed, first, query, type Unit, write } from "../engine/unit.ts"

type Subject = "SOURCES" | "SUPPRESSIONS"

const addOne = write((db, { changeCount: t }) =>
  db
    .update(t)
    .set({ changes: sql`${t.changes} + 1` })
    .where(eq(t.subject, bind("subject"))),
)

const changesOf = query((db, { changeCount: t }) =>
  db
    .select({ changes: t.changes })
    .from(t)
    .where(eq(t.subject, bind("subject"))),
)

export function* countChange(subject: Subject): Unit<void> {
  if ((yield* changed(addOne, { subject })) !== 1) throw new Error(`the changes of ${subject} have no row`)
}

/** Grows with every change. */
export function* changeCount(subject: Subject): Unit<number> {
  return (yield* first(changesOf, { subject }))?.changes ?? 0
}

/** The newest response of a register's service per address, unchanged. The number is limited; a loop deletes the oldest first. */
import { asc, desc, eq, inArray, sql } from "drizzle-orm"
import { bind, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"
import { PURGED_AT_ONCE } from "../purge.ts"

export interface RegisterAnswer {
  readonly sourceUrl: string
  readonly status: 200 | 404
  readonly body: Uint8Array
  readonly etag: string | null
  /** `sha256:` and hex, over `body`. */
  readonly rawSha256: string
  /** RFC 3339. */
  readonly retrievedAt: string
}

/** About 2 KB each. */
const ANSWERS_MAX = 20_000

const find = query((db, t) =>
  db
    .select()
    .from(t.registerAnswer)
    .where(eq(t.registerAnswer.sourceUrl, bind("sourceUrl"))),
)
const remove = query((db, t) =>
  db
    .delete(t.registerAnswer)
    .where(eq(t.registerAnswer.sourceUrl, bind("sourceUrl")))
    .returning({ id: t.registerAnswer.id }),
)
const insert = query((db, t) =>
  db
    .insert(t.registerAnswer)
    .values({
      sourceUrl: bind("sourceUrl"),
      status: bind("status"),
      body: bind("body"),
      etag: bind("etag"),
      rawSha256: bind("rawSha256"),
      retrievedAt: bind("retrievedAt"),
    })
    .returning({ id: t.registerAnswer.id }),
)
const purge = write((db, { registerAnswer: t }) => {
  // Numbers have gaps, so the newest number does not tell how many there are.
  const newestToDrop = db.select({ id: t.id }).from(t).orderBy(desc(t.id)).limit(1).offset(bind("kept"))
  const oldest = db
    .select({ id: t.id })
    .from(t)
    .where(sql`${t.id} <= ${newestToDrop}`)
    .orderBy(asc(t.id))
    .limit(PURGED_AT_ONCE)
  return db.delete(t).where(inArray(t.id, oldest))
})

export function* findAnswer(sourceUrl: string): Unit<RegisterAnswer | null> {
  const row = yield* first(find, { sourceUrl })
  // The table's CHECK allows no other status.
  return row ? { ...row, status: row.status as 200 | 404 } : null
}

/** Replaces the response of the same address. */
export function* keepAnswer(answer: RegisterAnswer): Unit<void> {
  const { sourceUrl } = answer
  yield* rows(remove, { sourceUrl })
  yield* rows(insert, { ...answer })
}

/** Removes at most {@link PURGED_AT_ONCE} of the responses that are not among the newest `answersMax`, the oldest first; returns how many. */
export function* purgeAnswers(answersMax = ANSWERS_MAX): Unit<number> {
  return yield* changed(purge, { kept: answersMax })
}

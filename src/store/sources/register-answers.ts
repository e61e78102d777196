/** The newest response of a register's service per address, unchanged. The number is limited; the oldest are deleted first. */
import { asc, eq, inArray, lte } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"

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
/** More than one, so that the table reaches a lowered limit; few, so that the lock stays short. */
const DROPPED_AT_ONCE = 16

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
const dropUpTo = query((db, t) =>
  db
    .delete(t.registerAnswer)
    .where(
      inArray(
        t.registerAnswer.id,
        db
          .select({ id: t.registerAnswer.id })
          .from(t.registerAnswer)
          .where(lte(t.registerAnswer.id, bind("id")))
          .orderBy(asc(t.registerAnswer.id))
          .limit(DROPPED_AT_ONCE),
      ),
    )
    .returning({ id: t.registerAnswer.id }),
)

export function* findAnswer(sourceUrl: string): Unit<RegisterAnswer | null> {
  const row = yield* first(find, { sourceUrl })
  // The table's CHECK allows no other status.
  return row ? { ...row, status: row.status as 200 | 404 } : null
}

/** Replaces the response of the same address. Keeps only the last `answersMax` responses over all addresses. */
export function* keepAnswer(answer: RegisterAnswer, answersMax = ANSWERS_MAX): Unit<void> {
  const { sourceUrl } = answer
  yield* rows(remove, { sourceUrl })
  const kept = yield* first(insert, { ...answer })
  if (!kept) throw new Error("an answer was not kept")
  yield* rows(dropUpTo, { id: kept.id - answersMax })
}

import { eq } from "drizzle-orm"
import type { MOVED_TO } from "./engine/tables.ts"
import { bind, bound, changed, first, query, type Unit, write } from "./engine/unit.ts"

/** Names of the rows in `meta`. The rows of `init` and the check values of keys never change. */
type MetaName =
  | "environment"
  | "created_at"
  | "log_origin"
  | "quote_key_check"
  | "token_key_check"
  | `log_origin_${number}`
  | "restores"
  | "restore_scan"
  | "settlement"
  | "log_shorter"
  | typeof MOVED_TO

const byName = query((db, t) =>
  db
    .select({ value: t.meta.value })
    .from(t.meta)
    .where(eq(t.meta.name, bind("name"))),
)
const insert = query((db, t) =>
  db
    .insert(t.meta)
    .values({ name: bind("name"), value: bind("value") })
    .onConflictDoNothing()
    .returning({ name: t.meta.name }),
)
const put = query((db, t) =>
  db
    .insert(t.meta)
    .values({ name: bind("name"), value: bind("value") })
    .onConflictDoUpdate({ target: t.meta.name, set: { value: bound("value") } })
    .returning({ name: t.meta.name }),
)

const remove = write((db, { meta: t }) => db.delete(t).where(eq(t.name, bind("name"))))

export function* metaValue(name: MetaName): Unit<string | null> {
  return (yield* first(byName, { name }))?.value ?? null
}

/** Returns false when the row exists; the first value stays. */
export function* insertMeta(name: MetaName, value: string): Unit<boolean> {
  return (yield* first(insert, { name, value })) !== undefined
}

/** Replaces the existing value. */
export function* putMeta(name: MetaName, value: string): Unit<void> {
  yield* first(put, { name, value })
}

export function* removeMeta(name: MetaName): Unit<void> {
  yield* changed(remove, { name })
}

/**
 * What happened to this database between a backup and its restore is unknown: a token may have been redeemed, a mandate used, a key revoked.
 * The rows of these hours are lost. So what was created before a restore counts as used or revoked, until the operator declares that the
 * backup was the newest state (rulings 62). One row of `meta` holds all restores, because that table exists in every schema: a restore
 * writes it into a database that this program has not migrated yet.
 */
import { type SQL, sql } from "drizzle-orm"
import { instant } from "../core/time.ts"
import { textOrNull } from "./engine/expressions.ts"
import type { Tables, Unit } from "./engine/unit.ts"
import { metaValue, putMeta, removeMeta } from "./meta.ts"

export interface Restore {
  /** RFC 3339. When the backup was made. */
  readonly backup_at: string
  /** RFC 3339. When the backup was restored. */
  readonly restored_at: string
  /** RFC 3339. When the operator declared that nothing happened after the backup; null without that declaration. */
  readonly newest_declared_at: string | null
}

/** More restores than this are refused: a database that was restored so often is not what it claims to be. */
export const RESTORES_MAX = 100

/** Oldest first. */
export function* restores(): Unit<readonly Restore[]> {
  return recorded(yield* metaValue("restores"))
}

function recorded(value: string | null): readonly Restore[] {
  return value === null ? [] : (JSON.parse(value) as Restore[])
}

/** Returns false and writes nothing when there are {@link RESTORES_MAX} already. */
export function* addRestore(restore: Restore): Unit<boolean> {
  const known = yield* restores()
  if (known.length >= RESTORES_MAX) return false
  yield* putMeta("restores", JSON.stringify([...known, restore]))
  // The gap is recorded, and the log goes on under another name.
  yield* removeMeta("log_shorter")
  return true
}

/** Returns how many restores the declaration covers: every one that had none. */
export function* declareBackupNewest(at: string): Unit<number> {
  const known = yield* restores()
  const declared = known.map((one) => ({ ...one, newest_declared_at: one.newest_declared_at ?? at }))
  yield* putMeta("restores", JSON.stringify(declared))
  return known.filter((one) => one.newest_declared_at === null).length
}

/** Milliseconds. Tokens, delegations, mandates and challenges created before this time are void. Null when nothing is. */
export function* voidBefore(): Unit<number | null> {
  return voidBeforeOf(yield* metaValue("restores"))
}

/** The value of the row with all restores, for a statement that reads it together with others. */
export function restoresOf({ meta }: Pick<Tables, "meta">): SQL<string | null> {
  return textOrNull(sql`(select ${meta.value} from ${meta} where ${meta.name} = 'restores')`)
}

/** As {@link voidBefore}, from that value. */
export function voidBeforeOf(value: string | null): number | null {
  const times = recorded(value)
    .filter((one) => one.newest_declared_at === null)
    .map((one) => instant(one.restored_at))
  return times.length === 0 ? null : Math.max(...times)
}

/** Whether a record of this RFC 3339 time counts as used or revoked. */
export function* isVoid(createdAt: string): Unit<boolean> {
  const before = yield* voidBefore()
  return before !== null && instant(createdAt) < before
}

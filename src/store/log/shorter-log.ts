/**
 * A database whose transparency log lacks leaves that a process saw: an older copy, or an asynchronous standby that took over. Serving it would show
 * two histories under one name.
 */
import { sameBytes } from "../../core/bytes.ts"
import type { Unit } from "../engine/unit.ts"
import { insertMeta, metaValue } from "../meta.ts"
import { restores } from "../restores.ts"
import { readTreeHead, rootHashAt, type TreeHead } from "./transparency-log.ts"

/** A head of the log that was committed. */
export type SeenHead = Pick<TreeHead, "size" | "rootHash">

/** A head of the log, and when each restore of the database was recorded that the same view shows, oldest first. */
export interface WatchedLog {
  readonly head: SeenHead
  readonly restored: readonly string[]
}

export interface SeenLog {
  /** The largest one; null if this process saw none. */
  readonly seen: SeenHead | null
  saw(log: WatchedLog): void
}

/** What a process found. Members as in the row of `meta`. */
export interface ShorterLog {
  /** Leaves that the process saw. */
  readonly seen: number
  /** Leaves of the database. Not fewer than `seen` if they are others. */
  readonly found: number
}

/** The row of `meta` that every process on the database obeys. A restore that is declared removes it: see `restores.ts`. */
export const SHORTER_LOG = "log_shorter"

interface JudgedLog extends WatchedLog {
  /** Null: the log continues what this process saw, and no other process noted anything else. */
  readonly shorter: ShorterLog | null
}

/** `seen`: the largest head that this process saw; null if it saw none. */
export function* judgeLog(seen: SeenHead | null): Unit<JudgedLog> {
  const log = yield* watchedLog()
  const noted = yield* notedShorterLog()
  if (noted !== null || seen === null) return { ...log, shorter: noted }
  return { ...log, shorter: (yield* continues(log.head, seen)) ? null : { seen: seen.size, found: log.head.size } }
}

export function* watchedLog(): Unit<WatchedLog> {
  return { head: yield* readTreeHead(), restored: yield* restoredAt() }
}

/** When each restore of the database was recorded, oldest first. */
export function* restoredAt(): Unit<readonly string[]> {
  return (yield* restores()).map((one) => one.restored_at)
}

/** What a process saw of a database while its log was right; both null if it saw no leaf. */
export interface Watched {
  readonly seen: SeenHead | null
  /** By {@link restoredAt}. */
  readonly restored: readonly string[] | null
}

/**
 * Stops every process on this database, if its log lacks leaves that this process saw. Not if the operator recorded a restore since: then the loss is
 * known, and only this process missed it. Returns whether it has nothing more to note. It has if this database lacks nothing, because another server lacked it.
 */
export function* noteShorterLog({ seen, restored }: Watched): Unit<boolean> {
  if ((yield* notedShorterLog()) !== null) return true
  const { shorter, restored: recorded } = yield* judgeLog(seen)
  if (shorter === null) return false
  if (String(recorded) === String(restored)) yield* insertMeta(SHORTER_LOG, JSON.stringify(shorter))
  return true
}

function* continues(head: SeenHead, { size, rootHash }: SeenHead): Unit<boolean> {
  if (head.size < size) return false
  return sameBytes(head.size === size ? head.rootHash : yield* rootHashAt(size), rootHash)
}

/** What another process noted; null if none did. */
export function* notedShorterLog(): Unit<ShorterLog | null> {
  const value = yield* metaValue(SHORTER_LOG)
  return value === null ? null : (JSON.parse(value) as ShorterLog)
}

/** What happened, for the operator: a sentence without its end. */
export function shorterLogText({ seen, found }: ShorterLog): string {
  return found < seen
    ? `the transparency log has ${found} leaves, but an instance saw ${seen}: this is an older copy, or a standby that lacks the last sales`
    : `the first ${seen} leaves of the transparency log are not those that an instance saw: this is another history`
}

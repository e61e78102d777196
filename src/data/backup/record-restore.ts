/** Records in a database that it is an earlier state: what it does not know becomes void, and its log gets the next name (rulings 62). */
import type { Unit } from "../../store/engine/unit.ts"
import { changeLogOrigin, hostOfOrigin, logOrigin } from "../../store/log/log-origin.ts"
import { SHORTER_LOG } from "../../store/log/shorter-log.ts"
import { readTreeHead } from "../../store/log/transparency-log.ts"
import { removeMeta } from "../../store/meta.ts"
import { addRestore, RESTORES_MAX } from "../../store/restores.ts"
import { BackupRefusal } from "./backup-refusal.ts"

export interface RestoreMark {
  /** RFC 3339. */
  readonly backupAt: string
  /** RFC 3339. */
  readonly restoredAt: string
  /** The operator declares that nothing happened after the backup: nothing is void, and the log keeps its name. */
  readonly isNewest: boolean
  /** What is known of the log beyond this state, for the reason of the new name. */
  readonly known?: string
}

export interface MarkedLog {
  /** Null in a database on which no service has run. */
  readonly originBefore: string | null
  readonly origin: string | null
  readonly size: number
  /** 32 bytes. */
  readonly rootHash: Uint8Array
}

/** Null, and nothing is written, after too many restores. It reads and writes only what every schema has. */
export function* recordRestore(mark: RestoreMark): Unit<MarkedLog | null> {
  const { backupAt, restoredAt, isNewest } = mark
  const recorded = yield* addRestore({
    backup_at: backupAt,
    restored_at: restoredAt,
    newest_declared_at: isNewest ? restoredAt : null,
  })
  if (!recorded) return null
  return isNewest ? { ...(yield* unchangedLog()), ...(yield* readTreeHead()) } : yield* logUnderNextName(mark)
}

/**
 * For a restore that is recorded, and after which a process still saw more leaves than the database has. The log gets its next name, so that nobody
 * sees two histories under one; nothing more becomes void.
 */
export function* repeatRestore(mark: Omit<RestoreMark, "isNewest">): Unit<MarkedLog> {
  yield* removeMeta(SHORTER_LOG)
  return yield* logUnderNextName(mark)
}

function* unchangedLog(): Unit<Pick<MarkedLog, "originBefore" | "origin">> {
  const origin = yield* logOrigin()
  return { originBefore: origin, origin }
}

function* logUnderNextName({ backupAt, restoredAt, known }: Omit<RestoreMark, "isNewest">): Unit<MarkedLog> {
  const { originBefore } = yield* unchangedLog()
  const why = `restored from a backup of ${backupAt}${known === undefined ? "" : `; ${known}`}`
  const changed =
    originBefore === null ? null : yield* changeLogOrigin(hostOfOrigin(originBefore), { why, at: restoredAt })
  return { originBefore, origin: changed?.origin ?? originBefore, ...(yield* readTreeHead()) }
}

export function tooManyRestores(): BackupRefusal {
  return new BackupRefusal(
    "DAMAGED",
    `the database was restored ${RESTORES_MAX} times already; it is not restored again`,
  )
}

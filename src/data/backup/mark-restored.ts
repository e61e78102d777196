/** Marks a database as restored before anything else may read it: what it does not know becomes void, and its log gets the next name. */
import { openDatabase } from "../../../db/open.ts"
import { SqliteStore } from "../../store/engine/sqlite/sqlite-store.ts"
import { changeLogOrigin, hostOfOrigin, logOrigin } from "../../store/log/log-origin.ts"
import { readTreeHead } from "../../store/log/transparency-log.ts"
import { addRestore, RESTORES_MAX } from "../../store/restores.ts"
import { BackupRefusal } from "./backup-refusal.ts"

interface RestoreMark {
  /** RFC 3339. */
  readonly backupAt: string
  /** RFC 3339. */
  readonly restoredAt: string
  /** The operator declares that nothing happened after the backup: nothing is void, and the log keeps its name. */
  readonly isNewest: boolean
}

export interface MarkedLog {
  /** Null in a database on which no service has run. */
  readonly originBefore: string | null
  readonly origin: string | null
  readonly size: number
  /** 32 bytes. */
  readonly rootHash: Uint8Array
}

/**
 * The file must be used by nobody else. It has no migrations applied here, so an earlier release can open it. After this call it is one file
 * without a write-ahead log. Throws {@link BackupRefusal} after too many restores.
 */
export async function markRestored(path: string, { backupAt, restoredAt, isNewest }: RestoreMark): Promise<MarkedLog> {
  const store = new SqliteStore(openDatabase(path), (error) => {
    throw error
  })
  try {
    const marked = await store.run(function* () {
      const recorded = yield* addRestore({
        backup_at: backupAt,
        restored_at: restoredAt,
        newest_declared_at: isNewest ? restoredAt : null,
      })
      if (!recorded) return null
      const originBefore = yield* logOrigin()
      const changed =
        isNewest || originBefore === null
          ? null
          : yield* changeLogOrigin(hostOfOrigin(originBefore), {
              why: `restored from a backup of ${backupAt}`,
              at: restoredAt,
            })
      return { originBefore, origin: changed?.origin ?? originBefore, ...(yield* readTreeHead()) }
    })
    if (marked) return marked
    throw new BackupRefusal(
      "DAMAGED",
      `the database was restored ${RESTORES_MAX} times already; it is not restored again`,
    )
  } finally {
    await store.close()
  }
}

import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { periodic, type Worker } from "../base/worker.ts"
import { MINUTE, SECOND } from "../core/time.ts"
import { backupsIn } from "../data/backup/backup-folder.ts"

/** How soon after the start the folder is listed for the first time. */
const ROUND_MS = 1 * SECOND
/** The folder may be on a slow disk, so a reader of metrics does not list it. */
const POLL_EVERY_MS = MINUTE

interface BackupPollParts {
  readonly folder: string
  readonly machine: Pick<Machine, "now" | "monotonic" | "after">
  readonly log: Log
}

/** Remembers the newest backup of a folder. */
export class BackupPoll {
  /** In milliseconds. Null: the folder has no backup. Undefined: it was not listed yet. */
  private newestAt: number | null | undefined
  private polledAt = Number.NEGATIVE_INFINITY

  constructor(private readonly parts: BackupPollParts) {}

  /** Infinite without a backup; null until the folder was listed. */
  ageSeconds(): number | null {
    if (this.newestAt === undefined) return null
    if (this.newestAt === null) return Number.POSITIVE_INFINITY
    return Math.max(0, this.parts.machine.now() - this.newestAt) / SECOND
  }

  worker(): Worker {
    return periodic("newest backup", ROUND_MS, () => this.round(), this.parts)
  }

  private async round(): Promise<void> {
    const at = this.parts.machine.monotonic()
    if (at - this.polledAt < POLL_EVERY_MS) return
    this.polledAt = at
    this.newestAt = backupsIn(this.parts.folder)[0]?.at ?? null
  }
}

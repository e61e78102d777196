/** Makes a backup when one is due, in a process of its own. A failed backup is logged and tried again; it never stops the service. */
import { type ChildEnd, type ChildProgram, runChild } from "../../base/child-program.ts"
import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import { systemFault } from "../../base/system-fault.ts"
import { periodic, type Worker } from "../../base/worker.ts"
import { formatInstant, HOUR, MINUTE } from "../../core/time.ts"
import { backupsIn } from "./backup-folder.ts"
import { type BackupPlan, nextBackupAt } from "./backup-plan.ts"

const POLL_EVERY_MS = MINUTE
/** After a failure. */
const RETRY_AFTER_MS = 10 * MINUTE
/** A backup of many gigabytes on a slow disk ends in this time. */
const BACKUP_MS_MAX = 6 * HOUR

export interface ScheduleParts {
  readonly plan: BackupPlan
  readonly machine: Machine
  readonly log: Log
  readonly backUp: (signal: AbortSignal) => Promise<ChildEnd>
}

/** Runs `bizauth backup --if-due` with the settings of this process. */
export function backupInChild(program: ChildProgram, signal: AbortSignal): Promise<ChildEnd> {
  return runChild(["backup", "--if-due", "--json"], { msMax: BACKUP_MS_MAX, ...program }, signal)
}

export function backupSchedule({ plan, machine, log, backUp }: ScheduleParts): Worker {
  const stopping = new AbortController()
  let notBefore = Number.NEGATIVE_INFINITY
  const newest = () => backupsIn(plan.folder)[0]?.file

  async function round(): Promise<void> {
    if (machine.monotonic() < notBefore) return
    const end = await backUpIfDue().catch((error: unknown) => ({
      exit: null,
      timedOut: false,
      said: systemFault(error) ?? `not started: ${error instanceof Error ? error.message : String(error)}`,
    }))
    if (end === null || end.exit === 0 || stopping.signal.aborted) return
    notBefore = machine.monotonic() + RETRY_AFTER_MS
    const { exit, timedOut, said } = end
    const retry_at = formatInstant(machine.now() + RETRY_AFTER_MS)
    log.error("backup_failed", { exit, timed_out: timedOut, retry_at, said })
  }

  /** Returns null if no backup is due. Rejects if the folder cannot be read, or the process cannot be started. */
  async function backUpIfDue(): Promise<ChildEnd | null> {
    if (nextBackupAt(plan, machine.now()) > machine.now()) return null
    const [before, begunAt] = [newest(), machine.monotonic()]
    const end = await backUp(stopping.signal)
    const made = end.exit === 0 && !stopping.signal.aborted ? newest() : undefined
    if (made !== undefined && made !== before) {
      log.info("backup_made", { file: made, ms: Math.round(machine.monotonic() - begunAt) })
    }
    return end
  }

  const worker = periodic("backup", POLL_EVERY_MS, round, { machine, log })
  const stop = () => {
    stopping.abort()
    return worker.stop()
  }
  return { ...worker, stop }
}

/**
 * Records that the tools of PostgreSQL brought an earlier state of the database back. It does for a server what a restore does for a file: until then
 * the service refuses to serve from that state, because the record of the log's size beside the keys is larger.
 */
import type { LongWork } from "../../base/long-work.ts"
import { stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import { TAKEOVER_OFFSET_MS_MAX } from "../../store/engine/clock.ts"
import type { Engine } from "../../store/engine/engine.ts"
import { aloneOnServer } from "../../store/engine/open-engine.ts"
import { MOVED_TO } from "../../store/engine/tables.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { notedShorterLog } from "../../store/log/shorter-log.ts"
import { type PausedRights, pausedRights } from "../../store/paused-rights.ts"
import { newestPaymentAt } from "../../store/payments/newest-payment.ts"
import { type Restore, restores } from "../../store/restores.ts"
import type { DataPaths } from "../data-paths.ts"
import {
  isBeforeRestore,
  judgeSizeRecord,
  readSizeRecord,
  type SizeRecord,
  writeSizeRecord,
} from "../log-size-record.ts"
import { type MarkedLog, recordRestore, repeatRestore, tooManyRestores } from "./record-restore.ts"
import { TargetRefused } from "./restore-backup.ts"

interface ServerRestore {
  readonly paths: DataPaths
  /** Of the database. */
  readonly url: string
  /** RFC 3339. The time of the state that was brought back. */
  readonly backupAt: string
}

export const SERVER_RESTORE_STEPS = ["CHECK", "MARK", "SIZE_RECORD"] as const
type ServerRestoreStep = (typeof SERVER_RESTORE_STEPS)[number]

const WORDS: Readonly<Record<ServerRestoreStep, string>> = {
  CHECK: "looking whether nobody uses the database",
  MARK: "marking the database as restored",
  SIZE_RECORD: "recording the size of the log",
}

interface ServerRestoreParts {
  readonly machine: Pick<Machine, "now">
  /** Called before each step. A test kills the process there. */
  readonly trace?: (step: ServerRestoreStep) => void
  readonly work?: LongWork
}

export interface RestoredOnServer {
  /** Name of the database. */
  readonly name: string
  readonly environment: string
  readonly backupAt: string
  /** RFC 3339. */
  readonly restoredAt: string
  /** It was recorded before, and nothing more became void. */
  readonly isRepeated: boolean
  readonly log: MarkedLog
  /** What this directory knew of the log before; null without a record. */
  readonly record: SizeRecord | null
  /** Migrations that `serve` will apply. */
  readonly pending: readonly string[]
  /** Null while migrations are pending. */
  readonly paused: PausedRights | null
}

/** Rejects with {@link TargetRefused}, with DatabaseRefused while a process serves from the database, or with BackupRefusal after too many restores. */
export async function recordServerRestore(
  order: ServerRestore,
  { machine, trace = () => {}, work = UNWATCHED }: ServerRestoreParts,
): Promise<RestoredOnServer> {
  const { paths, url } = order
  const backupAt = formatInstant(instant(order.backupAt))
  const begin = stepsOf({ work, steps: SERVER_RESTORE_STEPS, words: WORDS, trace })
  begin("CHECK", { size: 0 })
  const use = async (engine: Engine): Promise<RestoredOnServer> => {
    const now = nowOf(engine, machine)
    const environment = await requireDatabase(engine)
    const pending = await engine.pendingMigrations()
    const record = readSizeRecord(paths.directory)
    const { store } = engine
    const repeated = await requireRestorable(engine, { backupAt, now, record })
    begin("MARK", { size: 0 })
    const known = record === null ? {} : { known: knownText(record) }
    const at = formatInstant(now)
    const restoredAt = repeated?.restored_at ?? at
    const log = await store.run(() =>
      repeated
        ? repeatRestore({ backupAt, restoredAt: at, ...known })
        : recordRestore({ backupAt, restoredAt, isNewest: false, ...known }),
    )
    if (log === null) throw tooManyRestores()
    begin("SIZE_RECORD", { size: 0 })
    writeSizeRecord(paths.directory, { size: log.size, rootHash: log.rootHash, at })
    const paused = pending.length > 0 ? null : await store.read(() => pausedRights(at))
    return {
      ...{ name: engine.names.name, environment, backupAt, restoredAt, isRepeated: repeated !== null },
      ...{ log, record, pending: pending.map(({ name }) => name), paused },
    }
  }
  return aloneOnServer(url, use, { clock: machine })
}

/** The later one of both clocks: what was created before it is void. Throws {@link TargetRefused} if they differ by more than a second. */
function nowOf(engine: Engine, machine: Pick<Machine, "now">): number {
  const clock = engine.serverClock()
  const offsetMs = clock?.offsetMs ?? 0
  if (clock === null || Math.abs(offsetMs) <= TAKEOVER_OFFSET_MS_MAX) return Math.max(machine.now(), clock?.now() ?? 0)
  throw new TargetRefused(
    `the clock of this machine is ${Math.abs(offsetMs) / SECOND} seconds ${offsetMs > 0 ? "ahead of" : "behind"} that of the server of ${engine.names.name}, and what is void depends on the time: set both right, and run this again`,
  )
}

/** The newest checkpoint that this directory knows: the name that the log had is published with it. */
function knownText({ size, rootHash, at }: SizeRecord): string {
  return `at ${at} the log had ${size} leaves and the root ${Buffer.from(rootHash).toString("hex")}`
}

async function requireDatabase(engine: Engine): Promise<"test" | "live"> {
  const { name } = engine.names
  const environment = (await engine.contents()) === "OWN" ? await engine.metaBefore("environment") : null
  if (environment !== "test" && environment !== "live") {
    throw new TargetRefused(`${name} is no database of bizauth, or its init did not finish`)
  }
  if ((await engine.metaBefore(MOVED_TO)) !== null) throw new TargetRefused(`${name} was moved and is not in use`)
  return environment
}

interface RestoreClaim {
  /** RFC 3339. */
  readonly backupAt: string
  readonly now: number
  readonly record: SizeRecord | null
}

/** Returns the restore that is recorded already, if the database still cannot be served after it; null for a new one. */
async function requireRestorable(engine: Engine, { backupAt, now, record }: RestoreClaim): Promise<Restore | null> {
  const { name } = engine.names
  if (instant(backupAt) > now) throw new TargetRefused(`--backup-at ${backupAt} is in the future`)
  const { known, newest, isServable } = await engine.store.read(function* () {
    return { known: yield* restores(), newest: yield* newestPaymentAt(), isServable: yield* isNewestLog(record) }
  })
  // A state from before the restore does not have its record, so this is the state that has it.
  const same = known.find((one) => instant(one.backup_at) === instant(backupAt))
  if (same && isServable) throw new TargetRefused(`this restore is recorded already, at ${same.restored_at}`)
  if (same) return same
  if (newest !== null && instant(newest) > instant(backupAt)) {
    throw new TargetRefused(
      `${name} has a payment of ${newest}, so its state is newer than --backup-at ${backupAt}: name the time of the state that was brought back, or of that payment if you do not know it`,
    )
  }
  return null
}

/** Whether a start accepts the log, by what is noted in the database and by the record of this directory. */
function* isNewestLog(record: SizeRecord | null): Unit<boolean> {
  if ((yield* notedShorterLog()) !== null) return false
  return record === null || (yield* judgeSizeRecord(record)) === null || (yield* isBeforeRestore(record))
}

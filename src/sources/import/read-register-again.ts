/**
 * Reads the kept bytes of registers again in the background, because that takes minutes: the old reading answers meanwhile. An earlier parser
 * made it.
 */
import { existsSync } from "node:fs"
import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import { runTask } from "../../base/thread-task.ts"
import { type Worker as Background, periodic } from "../../base/worker.ts"
import { HOUR } from "../../core/time.ts"
import { isDatabaseAway } from "../../store/engine/store-error.ts"
import type { Store } from "../../store/engine/unit.ts"
import { activeSnapshot, activeSnapshots, type SnapshotRow } from "../../store/sources/sources.ts"
import type { Shared } from "../machines/shared-database.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { readAgain } from "./read-again.ts"
import type { ReadAgainTask } from "./read-again-thread.ts"
import type { ReadAgain } from "./read-kept.ts"
import type { KeptRegister } from "./read-kept-register.ts"
import { NoRoom } from "./room.ts"
import { snapshotFolder } from "./snapshot-files.ts"
import { type RegisterSource, registerSource } from "./source.ts"

/** What every worker over the registers gets. */
export interface RegisterParts {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
  /** Given if processes on several machines share the database. */
  readonly shared?: Shared | null
  readonly machine: Machine
  readonly log: Log
  readonly adapters: readonly RegisterAdapter[]
  /** Ids that the configuration disables. */
  readonly disabled: readonly string[]
}

export interface RegisterReadAgainParts extends RegisterParts {
  /** In a thread unless given. */
  readonly read?: (adapter: RegisterAdapter, kept: KeptRegister, signal: AbortSignal) => Promise<ReadAgain>
}

/** A register that another process imports, for which the disk lacks room, or whose database is away is tried again after this time. */
const TRIED_EVERY_MS = HOUR
/** Many times the duration for ten million entries. A thread that needs longer hangs. */
const READ_MS_MAX = 2 * HOUR

declare const BUILD_TARGET: string | undefined

/** In the compiled file the modules lie in its root folder; the entry points lie below it as in `src`. */
const THREAD = new URL(
  typeof BUILD_TARGET === "string" ? "./sources/import/read-again-thread.ts" : "./read-again-thread.ts",
  import.meta.url,
).href

/** Looks at its start for registers that an earlier parser read. `stop` ends a reading that runs. */
export function registersReader(parts: RegisterReadAgainParts): Background {
  const stopping = new AbortController()
  const failed = new Set<string>()
  const round = () => readRegistersAgain(parts, failed, stopping.signal)
  const worker = periodic("registers read again", TRIED_EVERY_MS, round, { ...parts, atOnce: true })
  return {
    ...worker,
    stop: () => {
      stopping.abort()
      return worker.stop()
    },
  }
}

/** Reads one register after the other. `failed`: snapshots that cannot be read; they are not tried again. */
export async function readRegistersAgain(
  parts: RegisterReadAgainParts,
  failed: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const actives = await parts.store.read(activeSnapshots)
  for (const adapter of parts.adapters) {
    const row = actives.find(({ sourceId }) => sourceId === adapter.id)
    if (!row || row.parserVersion === adapter.parserVersion) continue
    // On a machine without the kept bytes there is nothing to read again.
    if (parts.shared && !existsSync(snapshotFolder(parts.root, adapter.id, row.snapshotId))) continue
    if (parts.disabled.includes(adapter.id) || failed.has(row.snapshotId) || signal.aborted) continue
    const isReadable = await readWhole(parts, registerSource(adapter), row, signal)
    if (!isReadable) failed.add(row.snapshotId)
  }
}

/** Returns false if the snapshot cannot be read, so that another try would fail too. */
async function readWhole(
  parts: RegisterReadAgainParts,
  source: RegisterSource,
  row: SnapshotRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, root, shared = null, log, read = readInThread } = parts
  const { id, adapter } = source
  const about = { source_id: id, parser_before: row.parserVersion, parser: adapter.parserVersion }
  try {
    const { kept } = source
    const alone = async () => {
      const current = await store.read(() => activeSnapshot(id))
      if (current?.snapshotId !== row.snapshotId) return
      const { fault, next } = await readAgain(parts, source, row, (_, { before }, { snapshotId, now }) =>
        read(adapter, { root, before, snapshotId, now }, signal),
      )
      if (fault !== null) throw new Error(fault)
      log.info("register_read_again", { ...about, snapshot_id: next.snapshotId, entries: next.entries })
    }
    await withImportLock(kept.lockFolder(root), alone, { shared, name: kept.lockName })
    return true
  } catch (error) {
    if (signal.aborted) return true
    const why = error instanceof Error ? error.message : String(error)
    const way_out = `bizauth sources import ${id} with its kept folder`
    log.error("register_not_read_again", { ...about, snapshot_id: row.snapshotId, why, way_out })
    return error instanceof ImportBusy || error instanceof NoRoom || isDatabaseAway(error)
  }
}

async function readInThread({ id }: RegisterAdapter, kept: KeptRegister, signal: AbortSignal): Promise<ReadAgain> {
  const { root, before, snapshotId, now } = kept
  const { rawSha256 } = before
  const named = { snapshotId: before.snapshotId, rawSha256 }
  const task: ReadAgainTask = { sourceId: id, root, before: named, snapshotId, now }
  const worker = new Worker(THREAD)
  try {
    return await runTask<ReadAgain>(worker, task, { msMax: READ_MS_MAX, signal })
  } finally {
    worker.terminate()
  }
}

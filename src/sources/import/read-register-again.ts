/**
 * After an upgrade to a release with another parser, reads the kept bytes of a register again and makes the result the snapshot in use. It
 * takes minutes, so the old reading answers meanwhile. The bytes, their times and what the operator accepted of them stay. It drops no older
 * snapshot, because the database of before the upgrade names it. Files first, then one unit: a kill leaves the old snapshot in use, and the
 * next start begins again.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import { runTask } from "../../base/thread-task.ts"
import { type Worker as Background, periodic } from "../../base/worker.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { formatInstant, HOUR } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { freeBytes } from "../../store/free-writes/free-disk.ts"
import { activateImported } from "../../store/sources/source-changes.ts"
import { activeSnapshot, activeSnapshots, type SnapshotRow } from "../../store/sources/sources.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import { findingsReadAgain } from "./findings-read-again.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { keptPaths } from "./kept-files.ts"
import type { ReadAgainTask } from "./read-again-thread.ts"
import type { KeptRegister, ReadRegister } from "./read-kept-register.ts"
import { NoRoom, requireRoom } from "./register-input.ts"
import { type RegisterManifest, registerRoot, Staging } from "./register-snapshot.ts"
import { removeLeftovers } from "./remove-leftovers.ts"
import { MANIFEST_FILE, removeSnapshot, SNAPSHOT_ID_PREFIX, snapshotFolder } from "./snapshot-files.ts"

/** What every worker over the registers gets. */
export interface RegisterParts {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
  readonly machine: Machine
  readonly log: Log
  readonly adapters: readonly RegisterAdapter[]
  /** Ids that the configuration disables. */
  readonly disabled: readonly string[]
}

export interface RegisterReadAgainParts extends RegisterParts {
  /** In a thread unless given. */
  readonly read?: (adapter: RegisterAdapter, kept: KeptRegister, signal: AbortSignal) => Promise<ReadRegister>
}

/** A register that another process imports, or for which the disk lacks room, is tried again after this time. */
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
    if (parts.disabled.includes(adapter.id) || failed.has(row.snapshotId) || signal.aborted) continue
    await readWhole(parts, adapter, row, failed, signal)
  }
}

async function readWhole(
  parts: RegisterReadAgainParts,
  adapter: RegisterAdapter,
  row: SnapshotRow,
  failed: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const { store, root, log } = parts
  const about = { source_id: adapter.id, parser_before: row.parserVersion, parser: adapter.parserVersion }
  const tell = (why: string) =>
    log.error("register_not_read_again", { ...about, snapshot_id: row.snapshotId, why, way_out: wayOut(adapter) })
  try {
    await withImportLock(registerRoot(root, adapter.id), async () => {
      const current = await store.read(() => activeSnapshot(adapter.id))
      if (current?.snapshotId !== row.snapshotId) return
      await removeLeftovers({ store, root, adapter })
      try {
        const { snapshotId, entries } = await readOne(parts, adapter, row, signal)
        log.info("register_read_again", { ...about, snapshot_id: snapshotId, entries })
      } finally {
        await removeLeftovers({ store, root, adapter })
      }
    })
  } catch (error) {
    if (signal.aborted) return
    const why = error instanceof Error ? error.message : String(error)
    if (!(error instanceof ImportBusy || error instanceof NoRoom)) failed.add(row.snapshotId)
    tell(why)
  }
}

function wayOut({ id }: RegisterAdapter): string {
  return `bizauth sources import ${id} with its kept folder`
}

/** Throws with the reason if the bytes cannot be read; then nothing changed. */
async function readOne(
  { store, machine, root, read = readInThread }: RegisterReadAgainParts,
  adapter: RegisterAdapter,
  row: SnapshotRow,
  signal: AbortSignal,
): Promise<{ readonly snapshotId: string; readonly entries: number }> {
  const folder = snapshotFolder(root, adapter.id, row.snapshotId)
  requireRoom({ files: keptPaths(folder, adapter.id) }, registerRoot(root, adapter.id), freeBytes)
  const snapshotId = SNAPSHOT_ID_PREFIX + encodeBase64url(machine.random(16))
  const now = machine.now()
  const result = await read(adapter, { root, before: row, snapshotId, now }, signal)
  if (result.fault !== null) throw new Error(result.fault)
  const { version, entries, counts, findings, partiesSha256 } = result
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8")) as RegisterManifest
  new Staging(root, adapter.id, snapshotId).publish(manifest)
  const { state: _, ...kept } = row
  const next = {
    ...kept,
    snapshotId,
    partiesSha256,
    entries,
    sourceVersion: version,
    counts: JSON.stringify(counts),
    findings: findingsReadAgain(row, findings),
    parserVersion: adapter.parserVersion,
    importedAt: formatInstant(machine.now()),
  }
  if (!(await store.run(() => activateImported(next, row.snapshotId)))) {
    removeSnapshot(root, adapter.id, snapshotId)
    throw new ImportBusy("the snapshot in use changed in the meantime")
  }
  return { snapshotId, entries }
}

async function readInThread({ id }: RegisterAdapter, kept: KeptRegister, signal: AbortSignal): Promise<ReadRegister> {
  const { root, before, snapshotId, now } = kept
  const { rawSha256 } = before
  const named = { snapshotId: before.snapshotId, rawSha256 }
  const task: ReadAgainTask = { sourceId: id, root, before: named, snapshotId, now }
  const worker = new Worker(THREAD)
  try {
    return await runTask<ReadRegister>(worker, task, { msMax: READ_MS_MAX, signal })
  } finally {
    worker.terminate()
  }
}

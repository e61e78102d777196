/**
 * A small file next to the database that records the size of the log (rulings 62). A database restored from an older copy would publish a
 * second history under the same name. Its log is behind the record, so `serve` refuses it. The record is written after commits, so a crash
 * may leave it behind the database, which is harmless.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "../base/durable-file.ts"
import type { Machine } from "../base/machine.ts"
import { sameBytes } from "../core/bytes.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { formatInstant, instant, parseInstant } from "../core/time.ts"
import type { Engine } from "../store/engine/engine.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
import { notedShorterLog, type SeenHead, shorterLogText, watchedLog } from "../store/log/shorter-log.ts"
import { readTreeHead, rootHashAt } from "../store/log/transparency-log.ts"
import { restores } from "../store/restores.ts"
import { type DataDirectory, DataDirectoryError } from "./data-directory.ts"
import { unlessAway } from "./own-instance.ts"

export interface SizeRecord {
  readonly size: number
  readonly rootHash: Uint8Array
  /** RFC 3339. */
  readonly at: string
}

const RECORD_BYTES_MAX = 1024

export function sizeRecordPath(directory: string): string {
  return join(directory, "log-size.json")
}

/** Null without a file. Throws {@link DataDirectoryError} for a file that {@link writeSizeRecord} did not write. */
export function readSizeRecord(directory: string): SizeRecord | null {
  const path = sizeRecordPath(directory)
  if (!existsSync(path)) return null
  const record = statSync(path).size <= RECORD_BYTES_MAX ? recordOf(readFileSync(path, "utf8")) : null
  if (record) return record
  throw new DataDirectoryError(
    `${path} cannot be read: it says how large the log was, so that an older database is noticed. Restore it from where it was changed, or compare bizauth log audit with the newest checkpoint you know and then remove it.`,
  )
}

function recordOf(text: string): SizeRecord | null {
  const match = /^\{"at":"([^"]+)","root_hash":"([0-9a-f]{64})","tree_size":(0|[1-9]\d{0,15})\}\n$/.exec(text)
  const [, at = "", root = "", size = ""] = match ?? []
  if (parseInstant(at) === null || !Number.isSafeInteger(Number(size))) return null
  return { size: Number(size), rootHash: new Uint8Array(Buffer.from(root, "hex")), at }
}

export function writeSizeRecord(directory: string, { size, rootHash, at }: SizeRecord): void {
  const content = canonicalize({ tree_size: size, root_hash: Buffer.from(rootHash).toString("hex"), at })
  replaceFile(sizeRecordPath(directory), `${content}\n`)
}

type RecordFault =
  | { readonly kind: "BEHIND"; readonly size: number }
  | { readonly kind: "OTHER_ROOT"; readonly size: number }

/** Whether the database's log continues the recorded one. The `size` of a fault is the database's. */
export function* judgeSizeRecord(record: SizeRecord): Unit<RecordFault | null> {
  const { size } = yield* readTreeHead()
  if (size < record.size) return { kind: "BEHIND", size }
  return sameBytes(yield* rootHashAt(record.size), record.rootHash) ? null : { kind: "OTHER_ROOT", size }
}

/**
 * Whether the operator recorded a restore after this record was written. On a server each data directory has a record, and only one of them gets a new
 * one with the restore; the first round of a service writes the others. An earlier state of the database does not have the row of the restore.
 */
export function* isBeforeRestore({ at }: SizeRecord): Unit<boolean> {
  return (yield* restores()).some((one) => instant(one.restored_at) > instant(at))
}

/** The database does not continue the log of this record. */
class OlderThanRecord extends DataDirectoryError {
  constructor(
    readonly record: SizeRecord,
    message: string,
  ) {
    super(message)
  }
}

interface LogOfDatabase {
  readonly store: Pick<Store, "read">
  readonly engine: Pick<Engine, "names" | "isShared">
}

/**
 * Throws {@link DataDirectoryError} when the database did not publish the recorded tree, or is an older copy: by the record of this directory, or by
 * what another instance noted in the database.
 */
export async function requireNewestLog({
  paths,
  store,
  engine,
}: Pick<DataDirectory, "paths"> & LogOfDatabase): Promise<void> {
  const record = readSizeRecord(paths.directory)
  const noted = await store.read(notedShorterLog)
  if (noted) {
    throw new DataDirectoryError(
      `${engine.names.name} cannot be served: ${shorterLogText(noted)}. Serving it would show two histories under one name. Put back ${engine.names.newest}. If it is lost, ${engine.names.ifLost}.`,
    )
  }
  const fault = record ? await store.read(() => judgeSizeRecord(record)) : null
  if (!record || !fault) return
  if (engine.isShared && (await store.read(() => isBeforeRestore(record)))) return
  const { name, newest, ifLost } = engine.names
  const found =
    fault.kind === "BEHIND"
      ? `the transparency log in ${name} has ${fault.size} leaves, but on ${record.at} it had ${record.size}: this is an older copy`
      : `the first ${record.size} leaves of the transparency log in ${name} are not those of ${record.at}: this is another database, or it was changed`
  throw new OlderThanRecord(
    record,
    `${found}. Serving it would show two histories under one name. Put back ${newest}; ${sizeRecordPath(paths.directory)} says which one that is. If it is lost, ${ifLost}.`,
  )
}

/**
 * As {@link requireNewestLog}, before a process serves. Other processes on the database may not have seen the leaves of this record, so they stop too,
 * unless the database ever recorded a restore: it may have declared this loss before the record was written.
 */
export async function requireNewestLogToServe(
  directory: Pick<DataDirectory, "paths" | "store" | "engine">,
): Promise<void> {
  try {
    await requireNewestLog(directory)
  } catch (error) {
    if (error instanceof OlderThanRecord) {
      await unlessAway(async () => void (await directory.engine.noteShorterLog?.({ seen: error.record, restored: [] })))
    }
    throw error
  }
}

/** Writes the record when the log has grown. A worker calls it repeatedly, and a clean stop once more. */
export class SizeRecorder {
  private recorded: number | null = null
  /** Monotonic time when the last round began that left the record equal to the log. */
  private equalAt: number

  constructor(
    private readonly from: Pick<DataDirectory, "paths" | "store"> & { readonly engine: Pick<Engine, "witness"> },
    private readonly machine: Machine,
  ) {
    this.equalAt = machine.monotonic()
  }

  /** For how long at most the record has been behind a log of `size` leaves; 0 if it is not. */
  lagMs(size: number): number {
    return this.recorded !== null && size <= this.recorded ? 0 : this.machine.monotonic() - this.equalAt
  }

  async round(): Promise<void> {
    const { paths, store, engine } = this.from
    // Also when the database cannot be read any more: then a start must know it.
    const seen = engine.witness?.seen
    if (seen && seen.size > (this.recorded ?? 0)) this.write(paths.directory, seen)
    const begunAt = this.machine.monotonic()
    const log = await store.read(watchedLog)
    engine.witness?.saw(log)
    const { head } = log
    if (head.size !== this.recorded) this.write(paths.directory, head)
    this.equalAt = begunAt
  }

  private write(directory: string, { size, rootHash }: SeenHead): void {
    // INVARIANT: only data that a reader of the database sees is recorded; it is committed and on disk.
    writeSizeRecord(directory, { size, rootHash, at: formatInstant(this.machine.now()) })
    this.recorded = size
  }
}

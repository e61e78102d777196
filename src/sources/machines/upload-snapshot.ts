/** Stores the files of a list's snapshot in a shared database, for the processes on other machines. */
import { statSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { formatInstant } from "../../core/time.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import {
  areStored,
  beginUpload,
  dropFiles,
  dropUpload,
  filesOfSnapshot,
  type ListFile,
  nameFiles,
  openUploads,
  recordActivation,
  storedParts,
  storePart,
} from "../../store/sources/list-bytes.ts"
import { DROPPED_WITH_FILES_AT_ONCE, dropOldSnapshots } from "../../store/sources/source-changes.ts"
import { activeSnapshot, type SnapshotRow } from "../../store/sources/sources.ts"
import { wholeDigest } from "../import/copy-file.ts"
import {
  MANIFEST_FILE,
  type ManifestFile,
  PARTIES_FILE,
  snapshotFault,
  snapshotFolder,
} from "../import/snapshot-files.ts"
import type { Shared } from "./shared-database.ts"

/** Before compression. One unit stores one part, so that no transaction is long. */
export const PART_BYTES = 4 * 1024 * 1024

/** This machine does not have the bytes that the snapshot's row states. */
export class SnapshotUnreadable extends Error {}

interface Place {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
  /** Ends the work before its next part. */
  readonly signal?: AbortSignal
}

interface SharedActivation {
  /** Makes the snapshot the active one, with its files. Returns false and changes nothing if `activate` does, or if a part is missing. */
  readonly unit: () => Unit<boolean>
  /** False after another import began meanwhile and removed a part. */
  hasParts(): Promise<boolean>
}

/** Stores the files of `next`, and returns how it becomes the active snapshot. */
export async function sharedActivation(
  { store, root, shared }: Place & { readonly shared: Shared },
  next: SnapshotRow,
  activate: () => Unit<boolean>,
): Promise<SharedActivation> {
  const { sourceId, snapshotId } = next
  const files = await upload({ store, root }, next)
  const activatedAt = formatInstant(shared.now())
  const unit = function* () {
    if (!(yield* areStored(files)) || !(yield* activate())) return false
    yield* nameFiles(snapshotId, files)
    yield* recordActivation({ sourceId, snapshotId, activatedAt })
    return true
  }
  return { unit, hasParts: () => store.read(() => areStored(files)) }
}

/**
 * Stores the files of the list's active snapshot if the database does not have them, such as after its move from a file. Returns whether it stored
 * some. Throws {@link SnapshotUnreadable} if this machine does not have their bytes. Call it only under the lock of imports.
 */
export async function uploadActive(place: Place, sourceId: string): Promise<boolean> {
  const { store, root } = place
  const row = await store.read(() => activeSnapshot(sourceId))
  if (!row || (await store.read(() => filesOfSnapshot(row.snapshotId))).length > 0) return false
  const fault = snapshotFault(root, row)
  if (fault !== null) throw new SnapshotUnreadable(fault)
  const files = await upload(place, row)
  return await store.run(function* () {
    if (!(yield* areStored(files))) return false
    yield* nameFiles(row.snapshotId, files)
    return true
  })
}

/** Removes the bytes of imports that were killed. Call it only under the lock of imports. */
export async function removeUploads(store: Store): Promise<void> {
  for (const sha256 of await store.read(openUploads)) await store.run(() => dropUpload(sha256))
}

/** As {@link dropOldSnapshots}, with their bytes in the database. */
export function* dropOldWithFiles(sourceId: string): Unit<string[]> {
  const dropped = yield* dropOldSnapshots(sourceId, DROPPED_WITH_FILES_AT_ONCE)
  for (const snapshotId of dropped) yield* dropFiles(snapshotId)
  return dropped
}

async function upload(place: Place, row: SnapshotRow): Promise<readonly ListFile[]> {
  const stored = await place.store.read(() => filesOfSnapshot(row.snapshotId))
  if (stored.length > 0) return stored
  const folder = snapshotFolder(place.root, row.sourceId, row.snapshotId)
  const files: ListFile[] = []
  for (const name of filesOf(row)) files.push(await uploadFile(place, join(folder, name), name))
  return files
}

/** The names of the files in the folder of a snapshot. */
function filesOf({ files }: Pick<SnapshotRow, "files">): readonly string[] {
  return [MANIFEST_FILE, PARTIES_FILE, ...(JSON.parse(files) as readonly ManifestFile[]).map(({ name }) => name)]
}

async function uploadFile({ store, signal }: Place, path: string, name: string): Promise<ListFile> {
  const sha256 = await wholeDigest(path, () => {})
  const bytes = statSync(path).size
  const parts = Math.ceil(bytes / PART_BYTES)
  await store.run(() => beginUpload(sha256))
  const known = new Set(await store.read(() => storedParts(sha256)))
  const file = await open(path, "r")
  try {
    for (let part = 0; part < parts; part++) {
      if (known.has(part)) continue
      signal?.throwIfAborted()
      const packed = await Bun.zstdCompress(await pieceOf(file, part, bytes))
      await store.run(() => storePart(sha256, part, packed))
    }
  } finally {
    await file.close()
  }
  return { name, sha256, bytes, parts }
}

async function pieceOf(file: FileHandle, part: number, size: number): Promise<Uint8Array> {
  const at = part * PART_BYTES
  const piece = new Uint8Array(Math.min(PART_BYTES, size - at))
  for (let filled = 0; filled < piece.length; ) {
    const { bytesRead } = await file.read(piece, filled, piece.length - filled, at + filled)
    if (bytesRead === 0) throw new Error("a file of the snapshot became shorter while it was stored")
    filled += bytesRead
  }
  return piece
}

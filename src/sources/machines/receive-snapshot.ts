/** Takes the files of a list's snapshot from a shared database into the folder of snapshots of this machine. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { errnoOf } from "../../base/system-fault.ts"
import { isDatabaseAway } from "../../store/engine/store-error.ts"
import type { Store } from "../../store/engine/unit.ts"
import { filesOfSnapshot, type ListFile, listPart } from "../../store/sources/list-bytes.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { ImportBusy, withImportLock, withLock } from "../import/import-lock.ts"
import { removeLeftovers } from "../import/remove-leftovers.ts"
import {
  isKeepable,
  MANIFEST_FILE,
  type ManifestFile,
  PARTIES_FILE,
  publishFolder,
  snapshotFolder,
} from "../import/snapshot-files.ts"
import { isRegisterId } from "../records/register-id.ts"
import { PART_BYTES, SnapshotUnreadable } from "./upload-snapshot.ts"

/** In the folder of all snapshots: one lock and one folder for each list, so that a list's own folder never holds a partial file. */
const FOLDER = ".received"

/** The bytes of a snapshot in the database are missing, or are not those of its row. */
export class NotReceived extends Error {}

interface Place {
  readonly store: Pick<Store, "read">
  /** Folder of all snapshots. */
  readonly root: string
  /** Ends the work before its next part. */
  readonly signal?: AbortSignal
}

/** Whether this machine has a folder of the snapshot. Its bytes are not checked. */
export function isHere(root: string, { sourceId, snapshotId }: Pick<SnapshotRow, "sourceId" | "snapshotId">): boolean {
  return existsSync(snapshotFolder(root, sourceId, snapshotId))
}

/**
 * Makes the folder of the snapshot, or makes it anew if its bytes differ. It appears complete (staged, synced, renamed) or not at all; a process that
 * is killed leaves files that the next one removes. Throws {@link NotReceived}, {@link ImportBusy} if another process of this machine receives this
 * list now, the reason of `signal`, and the errors of the store and of the disk.
 */
export async function receiveSnapshot({ store, root, signal }: Place, row: SnapshotRow): Promise<void> {
  const { sourceId, snapshotId } = row
  const busy = `another process on this machine takes ${sourceId} from the database now`
  await withLock(join(root, FOLDER), `${sourceId}.lock`, busy, async () => {
    const staging = join(root, FOLDER, sourceId)
    rmSync(staging, { recursive: true, force: true })
    mkdirSync(staging, { mode: 0o700 })
    try {
      for (const file of await storedFiles(store, row)) await receiveFile({ store, signal }, file, staging)
      const folder = snapshotFolder(root, sourceId, snapshotId)
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
      publishFolder(staging, folder)
    } finally {
      rmSync(staging, { recursive: true, force: true })
    }
  })
  await sweep({ store, root }, sourceId)
}

/** Receives the lists of these snapshots that this machine lacks. One that cannot be received now stays missing. */
export async function receiveLists(place: Place, snapshots: readonly SnapshotRow[]): Promise<void> {
  for (const row of snapshots) {
    if (isRegisterId(row.sourceId) || isHere(place.root, row)) continue
    await receiveSnapshot(place, row).catch((error: unknown) => {
      if (!isPassing(error)) throw error
    })
  }
}

/** A fault of the stored bytes, of the server or of this disk, after which another try may succeed. */
export function isPassing(error: unknown): error is Error {
  return (
    error instanceof NotReceived ||
    error instanceof SnapshotUnreadable ||
    error instanceof ImportBusy ||
    isDatabaseAway(error) ||
    (error instanceof Error && errnoOf(error) !== null)
  )
}

/** The files that the snapshot's row states, and the manifest. */
async function storedFiles(store: Place["store"], row: SnapshotRow): Promise<readonly ListFile[]> {
  const { sourceId, snapshotId, partiesSha256, files } = row
  const stored = await store.read(() => filesOfSnapshot(snapshotId))
  if (stored.length === 0) {
    throw new NotReceived(
      `the database does not have the bytes of ${snapshotId}: start bizauth serve on the machine that imported it, or import ${sourceId} again`,
    )
  }
  const stated = (JSON.parse(files) as readonly ManifestFile[]).map(({ name, sha256 }) => [name, `sha256:${sha256}`])
  const expected = new Map([[PARTIES_FILE, partiesSha256], ...(stated as [string, string][])])
  for (const { name, sha256 } of stored) {
    if (name === MANIFEST_FILE) continue
    // A name leads to a path, so it must be one that an import keeps.
    if (expected.get(name) !== `sha256:${sha256}` || !(name === PARTIES_FILE || isKeepable(name)))
      throw new NotReceived(`the database has another ${name} for ${snapshotId} than its row states`)
    expected.delete(name)
  }
  const [missing] = expected.keys()
  if (missing !== undefined) throw new NotReceived(`the database has no ${missing} for ${snapshotId}`)
  return stored
}

async function receiveFile(
  { store, signal }: Pick<Place, "store"> & { readonly signal: AbortSignal | undefined },
  { name, sha256, bytes, parts }: ListFile,
  folder: string,
): Promise<void> {
  const digest = createHash("sha256")
  const file = await open(join(folder, name), "wx", 0o600)
  let length = 0
  try {
    for (let part = 0; part < parts; part++) {
      signal?.throwIfAborted()
      const packed = await store.read(() => listPart(sha256, part))
      if (packed === null) throw new NotReceived(`the database lacks a part of ${name}`)
      const piece = await unpacked(packed, name)
      digest.update(piece)
      length += piece.length
      await file.writeFile(piece)
      // In small portions: one sync of a large file at the end would delay every other write.
      await file.datasync()
    }
    await file.sync()
  } finally {
    await file.close()
  }
  if (length !== bytes || digest.digest("hex") !== sha256)
    throw new NotReceived(`the database has other bytes for ${name} than were imported`)
}

async function unpacked(packed: Uint8Array, name: string): Promise<Uint8Array> {
  const piece = await Bun.zstdDecompress(packed).catch(() => null)
  if (piece === null || piece.length > PART_BYTES) throw new NotReceived(`the database has a damaged part of ${name}`)
  return piece
}

/** Removes the folders of snapshots that another machine dropped. */
async function sweep(place: Place, sourceId: string): Promise<void> {
  try {
    await withImportLock(place.root, () => removeLeftovers(place, sourceId))
  } catch (error) {
    if (!(error instanceof ImportBusy)) throw error
  }
}

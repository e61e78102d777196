/**
 * Writes a stored snapshot as `svc-snapshot-1`: an archive or a folder. Either appears complete under its name or not at all, because a
 * folder without its manifest would be read as loose files with current times.
 */
import { createHash } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, rmSync, utimesSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { renameDurably, syncFolder, writeNewFile } from "../../base/durable-file.ts"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { Signer } from "../../core/signer.ts"
import { type TarSource, writeTar } from "../../core/tar/tar.ts"
import { instant, SECOND } from "../../core/time.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { manifestOfRow } from "./import-record.ts"
import { signManifest } from "./manifest-signature.ts"
import { isTar } from "./read-tar-input.ts"
import { MANIFEST_FILE, type ManifestFile, snapshotFolder } from "./snapshot-files.ts"

const PIECE_BYTES = 1024 * 1024
/** The file mode of an export: everyone may read it. */
const PUBLIC_FILE = 0o644

/** Why the export wrote nothing. */
export class ExportRefused extends Error {}

interface Exported {
  readonly bytes: number
  readonly signedBy: string | null
}

/** A snapshot with its bytes on disk. */
interface SnapshotOnDisk {
  /** Folder of all snapshots. */
  readonly root: string
  readonly row: SnapshotRow
  /** The terms of its publisher. */
  readonly licence: string
}

/** Throws {@link ExportRefused} if the bytes differ from the row, or if the output name exists. */
export function exportSnapshot(
  { root, row, licence }: SnapshotOnDisk,
  out: string,
  signer: Omit<Signer, "issuer"> | null,
  work: LongWork = UNWATCHED,
): Exported {
  if (existsSync(out)) throw new ExportRefused(`${out} exists and is not overwritten`)
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  // The database protects the row. Only the retriever's name comes from the manifest of the folder.
  const content = { domain: "svc.snapshot-manifest.v1", ...manifestOfRow(row, licence, retrieverOf(folder)) } as const
  const { domain: _, ...unsigned } = content
  const manifest = signer ? signManifest(content, signer) : unsigned
  const retrievedAt = instant(row.retrievedAt)
  const total = content.files.reduce((sum, { bytes }) => sum + bytes, 0)
  work.step({ what: "copying the snapshot", unit: "bytes", total })
  const onRead = adding(work)
  const stated = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const entries: readonly TarSource[] = [
    { name: MANIFEST_FILE, size: stated.length, modifiedAt: retrievedAt / SECOND, pieces: [stated] },
    ...content.files.map((file) => ({
      name: file.name,
      size: file.bytes,
      modifiedAt: instant(file.last_modified) / SECOND,
      pieces: checkedPieces(folder, file, onRead),
    })),
  ]
  const staging = join(dirname(out), `.${basename(out)}.${process.pid}.part`)
  try {
    const bytes = isTar(out) ? writeArchive(staging, entries) : writeFolder(staging, entries)
    renameDurably(staging, out)
    return { bytes, signedBy: signer?.keyId ?? null }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function retrieverOf(folder: string): string {
  const text = readFileSync(join(folder, MANIFEST_FILE), "utf8")
  // An import wrote this text. The row is the source for everything else in it.
  const [, retriever] = /"retrieved_by": "([^"\\]{1,200})"/.exec(text) ?? []
  if (retriever === undefined) throw new ExportRefused(`${MANIFEST_FILE} in ${folder} is damaged; nothing was written`)
  return retriever
}

/** Yields the bytes of a stored file. INVARIANT: throws after the last piece if the bytes differ from the imported ones. */
function* checkedPieces(
  folder: string,
  { name, sha256 }: ManifestFile,
  onRead: (bytes: number) => void,
): Generator<Uint8Array> {
  const file = openSync(join(folder, name), "r")
  const hash = createHash("sha256")
  const buffer = new Uint8Array(PIECE_BYTES)
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      const piece = buffer.subarray(0, read)
      hash.update(piece)
      yield piece
      onRead(read)
    }
  } finally {
    closeSync(file)
  }
  if (hash.digest("hex") === sha256) return
  throw new ExportRefused(`${name} has other bytes than were imported; nothing was written`)
}

function writeArchive(path: string, entries: Iterable<TarSource>): number {
  return writeNewFile(path, writeTar(entries), PUBLIC_FILE)
}

function writeFolder(path: string, entries: Iterable<TarSource>): number {
  mkdirSync(path)
  let total = 0
  for (const { name, pieces, modifiedAt } of entries) {
    total += writeNewFile(join(path, name), pieces, PUBLIC_FILE)
    // If the files are later read as loose files, their times must not be the time of this copy.
    utimesSync(join(path, name), modifiedAt, modifiedAt)
  }
  syncFolder(path)
  return total
}

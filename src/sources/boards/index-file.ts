/**
 * A built index as one file. It holds the typed arrays as they lie in memory, so opening it decodes, sorts and copies nothing.
 *
 *   8 bytes  MAGIC
 *   4 bytes  length of the header (little-endian), then 4 bytes of zero
 *   header   JSON: {@link Header}; spaces fill it up to a multiple of 8
 *   parts    one for each list, then the merged names; every array starts at a multiple of 8
 *
 * Changed bytes could hide a listed party. So a file is used only if its SHA-256 equals the one in its row, a file beside it (`saved-index.ts`).
 * (A person who can change both can change any list.) A file that differs is not repaired: the index is built again.
 */

import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from "node:fs"
import { join } from "node:path"
import { renameDurably, syncFolder, writeNewFile } from "../../base/durable-file.ts"
import { aligned, laidOut, opened, type Shape } from "../formats/array-layout.ts"
import type { BoardName } from "../records/party.ts"
import type { MergedNames } from "../screening/name-tables.ts"
import type { BuiltIndex, PreparedList } from "./built-index.ts"

/** In the folder of all snapshots. */
export const INDEX_FOLDER = "index"
const SUFFIX = ".index"
export const ROW_SUFFIX = ".index.json"
const STAGING = ".staging-"
/** Changes with the file layout. */
const MAGIC = "bizidx01"
const PREFIX_BYTES = 16

/** The file that holds the built index of a board, and the digest of its bytes. */
export interface SavedIndexRow {
  readonly board: BoardName
  /** Digest of the snapshots and of the program it was built from. */
  readonly key: string
  /** Name in the folder of indexes. */
  readonly file: string
  readonly bytes: number
  /** `sha256:` and hex, of the whole file. */
  readonly sha256: string
}

interface Header {
  readonly key: string
  /** Milliseconds. */
  readonly builtAt: number
  readonly lists: readonly {
    readonly sourceId: string
    readonly snapshotId: string
    /** Null if no entry's screening ends. */
    readonly endsAt: number | null
    readonly bytes: number
    readonly shape: Shape
  }[]
  readonly merged: { readonly bytes: number; readonly shape: Shape }
}

type ListBody = Pick<PreparedList, "names" | "parties">

/** Writes the file durably under its final name. A reader uses it once its row is written. */
export function writeIndexFile(
  root: string,
  { board, key, builtAt }: Pick<SavedIndexRow, "board" | "key"> & { readonly builtAt: number },
  { outcomes, merged }: BuiltIndex,
): SavedIndexRow {
  const lists = outcomes.map(({ sourceId, list }) => {
    if (!list) throw new TypeError(`the index was built without ${sourceId}`)
    const { snapshotId, endsAt, names, parties } = list
    return { sourceId, snapshotId, endsAt: Number.isFinite(endsAt) ? endsAt : null, ...laidOut({ names, parties }) }
  })
  const body = laidOut(merged)
  const header: Header = {
    key,
    builtAt,
    lists: lists.map(({ parts: _, ...list }) => list),
    merged: { bytes: body.bytes, shape: body.shape },
  }
  const parts = [...headerBytes(header), ...lists.flatMap((list) => list.parts), ...body.parts]
  const hasher = new Bun.CryptoHasher("sha256")
  for (const part of parts) hasher.update(part)
  const sha256 = hasher.digest("hex")
  const file = `${board}-${sha256.slice(0, 32)}${SUFFIX}`
  writeIn(root, file, parts)
  const bytes = parts.reduce((sum, { length }) => sum + length, 0)
  return { board, key, file, bytes, sha256: `sha256:${sha256}` }
}

/** Writes a file of the folder of indexes, whole or not at all, and durably. */
export function writeIn(root: string, name: string, parts: Iterable<Uint8Array | string>): void {
  const folder = join(root, INDEX_FOLDER)
  const staging = join(folder, `${STAGING}${crypto.randomUUID()}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeNewFile(staging, parts)
  renameDurably(staging, join(folder, name))
  syncFolder(root)
}

interface ReadIndex extends BuiltIndex {
  /** Milliseconds. */
  readonly builtAt: number
}

type ReadIndexFile =
  | { readonly index: ReadIndex; readonly fault: null }
  | { readonly index: null; readonly fault: string }

/** Puts the lists in shared memory and the merged names in one separate block, as a build in a thread does. */
export function readIndexFile(root: string, row: SavedIndexRow): ReadIndexFile {
  try {
    const descriptor = openSync(join(root, INDEX_FOLDER, row.file), "r")
    try {
      return readOpened(descriptor, row)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (error instanceof SyntaxError) return faulty("its header is not JSON")
    if (error instanceof Error && "code" in error && typeof error.code === "string") return faulty(error.message)
    throw error
  }
}

const faulty = (fault: string): ReadIndexFile => ({ index: null, fault })

function readOpened(descriptor: number, row: SavedIndexRow): ReadIndexFile {
  const { size } = fstatSync(descriptor)
  if (size !== row.bytes) return faulty(`it has ${size} bytes where ${row.bytes} are recorded`)
  const hasher = new Bun.CryptoHasher("sha256")
  const read = <T extends ArrayBufferLike>(block: T): T => {
    const bytes = new Uint8Array(block)
    fill(descriptor, bytes)
    hasher.update(bytes)
    return block
  }
  const prefix = read(new ArrayBuffer(PREFIX_BYTES))
  const headerLength = new DataView(prefix).getUint32(MAGIC.length, true)
  if (Buffer.from(prefix, 0, MAGIC.length).toString("latin1") !== MAGIC || headerLength > size - PREFIX_BYTES)
    return faulty("it is not an index of this release")
  const header = JSON.parse(Buffer.from(read(new ArrayBuffer(headerLength))).toString("utf8")) as Header
  // The digest is known only at the end. Until then the lengths are unverified: their sum must equal the file length.
  const lengths = [...(header.lists ?? []), header.merged].map((part) => part?.bytes ?? -1)
  const isWhole = lengths.every((length) => Number.isSafeInteger(length) && length >= 0)
  if (!isWhole || lengths.reduce((sum, length) => sum + length, PREFIX_BYTES + headerLength) !== size)
    return faulty("its parts are not as long as the file")
  const blocks = header.lists.map(({ bytes }) => read(new SharedArrayBuffer(bytes)))
  const merged = read(new ArrayBuffer(header.merged.bytes))
  if (`sha256:${hasher.digest("hex")}` !== row.sha256) return faulty("it has other bytes than recorded")
  if (header.key !== row.key) return faulty("it was built from other snapshots than recorded")
  const outcomes = header.lists.map(({ sourceId, snapshotId, endsAt, shape }, at) => {
    const { names, parties } = opened<ListBody>(shape, blocks[at]!)
    const list = { snapshotId, endsAt: endsAt ?? Number.POSITIVE_INFINITY, names, parties }
    return { sourceId, list, fault: null }
  })
  const index = { outcomes, merged: opened<MergedNames>(header.merged.shape, merged), builtAt: header.builtAt }
  return { index, fault: null }
}

function fill(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(descriptor, bytes, at, bytes.length - at, null)
    // The file was truncated after its size was read. The digest will differ.
    if (read === 0) return
    at += read
  }
}

/** Removes every file of the folder except `kept`: leftovers of a killed import or service. Call it only under the import lock. */
export function removeOtherIndexFiles(root: string, kept: ReadonlySet<string>): void {
  const folder = join(root, INDEX_FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const isOwn = (name: string) => name.startsWith(STAGING) || name.endsWith(SUFFIX) || name.endsWith(ROW_SUFFIX)
  for (const name of readdirSync(folder)) if (isOwn(name) && !kept.has(name)) removeIndexFile(root, name)
}

export function removeIndexFile(root: string, file: string): void {
  rmSync(join(root, INDEX_FOLDER, file), { force: true })
}

function headerBytes(header: Header): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(header))
  const padded = Buffer.alloc(aligned(text.length), " ")
  text.copy(padded)
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.write(MAGIC, "latin1")
  prefix.writeUInt32LE(padded.length, MAGIC.length)
  return [prefix, padded]
}

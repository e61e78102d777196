/** Reads the central directory of a ZIP archive from any source that returns bytes at an offset. Supports ZIP64. */
import type { FindingCode } from "../records/adapter.ts"

export interface ZipLimits {
  readonly entriesMax: number
  /** Limit for all unpacked entries together. */
  readonly bytesMax: number
}

export interface DirectoryEntry {
  readonly name: string
  readonly method: number
  readonly encrypted: boolean
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly headerAt: number
}

export interface ArchiveBytes {
  readonly size: number
  /** Returns exactly the bytes `[at, at + length)`, which lie within `size`. */
  read(at: number, length: number): Uint8Array
}

export class ZipFault extends Error {
  constructor(
    readonly code: FindingCode,
    message: string,
  ) {
    super(message)
  }
}

export const STORED = 0
const DEFLATED = 8

// PKWARE APPNOTE 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.
const LOCAL_HEADER = 0x04034b50
const DIRECTORY_ENTRY = 0x02014b50
const DIRECTORY_END = 0x06054b50
const DIRECTORY_END_64 = 0x06064b50
const END_LOCATOR_64 = 0x07064b50
const LOCAL_HEADER_BYTES = 30
const DIRECTORY_ENTRY_BYTES = 46
const DIRECTORY_END_BYTES = 22
const DIRECTORY_END_64_BYTES = 56
const END_LOCATOR_64_BYTES = 20
const COMMENT_BYTES_MAX = 0xffff
/**
 * Limit for the directory. Without it, a directory that claims to begin at the first byte of a large archive would load the whole archive.
 */
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024
const ENCRYPTED_FLAG = 1
const EXTRA_64 = 1
/** This field value means: read the ZIP64 record. */
const FULL_16 = 0xffff
const FULL_32 = 0xffffffff

interface DirectoryPlace {
  readonly count: number
  readonly at: number
  /** The last entry ends at this byte or before it. */
  readonly end: number
}

/** Throws {@link ZipFault}. Reads only the directory, not the entries. */
export function readDirectory(archive: ArchiveBytes, limits: ZipLimits): DirectoryEntry[] {
  const { count, at: start, end } = findDirectory(archive)
  if (count > limits.entriesMax) throw new ZipFault("TOO_LARGE", `${count} entries, at most ${limits.entriesMax}`)
  if (start > end || end - start > DIRECTORY_BYTES_MAX) throw damaged()
  const bytes = archive.read(start, end - start)
  const view = viewOf(bytes)
  const entries: DirectoryEntry[] = []
  let total = 0
  let at = 0
  for (let index = 0; index < count; index += 1) {
    if (at + DIRECTORY_ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== DIRECTORY_ENTRY) throw damaged()
    const place = entryPlace(view, at)
    if (place.end > bytes.length) throw damaged()
    const entry = readEntry(view, bytes, place)
    total += entry.size
    if (total > limits.bytesMax) {
      throw new ZipFault("TOO_LARGE", `unpacks to more than the ${limits.bytesMax} bytes that are read`)
    }
    entries.push(entry)
    at = place.end
  }
  return entries
}

/** Where the parts of an entry begin in the directory, and where the entry ends. */
interface EntryPlace {
  readonly at: number
  readonly nameAt: number
  readonly extraAt: number
  readonly commentAt: number
  readonly end: number
}

function entryPlace(view: DataView, at: number): EntryPlace {
  const nameAt = at + DIRECTORY_ENTRY_BYTES
  const extraAt = nameAt + view.getUint16(at + 28, true)
  const commentAt = extraAt + view.getUint16(at + 30, true)
  return { at, nameAt, extraAt, commentAt, end: commentAt + view.getUint16(at + 32, true) }
}

function readEntry(view: DataView, bytes: Uint8Array, { at, nameAt, extraAt, commentAt }: EntryPlace): DirectoryEntry {
  const long = extraOf(view, extraAt, commentAt - extraAt)
  // INVARIANT: read in this order. The ZIP64 field holds only those of the three values that are full here.
  const size = long(view.getUint32(at + 24, true))
  const packedSize = long(view.getUint32(at + 20, true))
  const headerAt = long(view.getUint32(at + 42, true))
  return {
    name: new TextDecoder("utf-8").decode(bytes.subarray(nameAt, extraAt)),
    encrypted: (view.getUint16(at + 8, true) & ENCRYPTED_FLAG) !== 0,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedSize,
    size,
    headerAt,
  }
}

/** Returns a 32-bit field, or for a full one the next number of the entry's ZIP64 extra field. */
function extraOf(view: DataView, start: number, length: number): (short: number) => number {
  let at = start
  let end = start
  while (at + 4 <= start + length) {
    const size = view.getUint16(at + 2, true)
    if (view.getUint16(at, true) === EXTRA_64) {
      at += 4
      end = Math.min(at + size, start + length)
      break
    }
    at += 4 + size
  }
  return (short) => {
    if (short !== FULL_32) return short
    if (at + 8 > end) throw damaged()
    at += 8
    return long(view, at - 8)
  }
}

/** The end record must reach exactly to the last byte, so that nothing can be removed or appended after it. */
function findDirectory(archive: ArchiveBytes): DirectoryPlace {
  const length = Math.min(archive.size, DIRECTORY_END_BYTES + COMMENT_BYTES_MAX)
  const tailAt = archive.size - length
  const view = viewOf(archive.read(tailAt, length))
  for (let at = length - DIRECTORY_END_BYTES; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== DIRECTORY_END) continue
    if (at + DIRECTORY_END_BYTES + view.getUint16(at + 20, true) !== length) continue
    const count = view.getUint16(at + 10, true)
    const start = view.getUint32(at + 16, true)
    if (count === FULL_16 || start === FULL_32) return findDirectory64(archive, tailAt + at)
    return { count, at: start, end: tailAt + at }
  }
  throw new ZipFault("TRUNCATED", "the archive has no end record")
}

function findDirectory64(archive: ArchiveBytes, endAt: number): DirectoryPlace {
  const locatorAt = endAt - END_LOCATOR_64_BYTES
  if (locatorAt < 0) throw damaged()
  const locator = viewOf(archive.read(locatorAt, END_LOCATOR_64_BYTES))
  if (locator.getUint32(0, true) !== END_LOCATOR_64) throw damaged()
  const at = long(locator, 8)
  if (at + DIRECTORY_END_64_BYTES > locatorAt) throw damaged()
  const record = viewOf(archive.read(at, DIRECTORY_END_64_BYTES))
  if (record.getUint32(0, true) !== DIRECTORY_END_64) throw damaged()
  return { count: long(record, 32), at: long(record, 48), end: at }
}

/** Returns the offset of an entry's packed bytes. Throws {@link ZipFault} for an entry that cannot be unpacked. */
export function packedAt(archive: ArchiveBytes, entry: DirectoryEntry): number {
  const { name, headerAt, packedSize, method } = entry
  if (entry.encrypted) throw new ZipFault("NOT_DATA", `${name} is encrypted`)
  if (method !== STORED && method !== DEFLATED) throw new ZipFault("NOT_DATA", `${name} is packed by method ${method}`)
  if (headerAt + LOCAL_HEADER_BYTES > archive.size) throw new ZipFault("CORRUPT", `${name} has no local header`)
  const header = viewOf(archive.read(headerAt, LOCAL_HEADER_BYTES))
  if (header.getUint32(0, true) !== LOCAL_HEADER) throw new ZipFault("CORRUPT", `${name} has no local header`)
  const at = headerAt + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true)
  if (at + packedSize > archive.size) throw new ZipFault("TRUNCATED", `${name} reaches past the end`)
  return at
}

function damaged(): ZipFault {
  return new ZipFault("CORRUPT", "the central directory is damaged")
}

/** A number above 2^53 is not a valid file offset. It fails later as an offset outside the file. */
function long(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true))
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

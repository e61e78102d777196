/**
 * Reads a ZIP archive from its central directory and checks every CRC-32. `fflate.unzipSync` alone is not enough: it
 * does not compare checksums and trusts the declared sizes, so a damaged or hostile archive would pass.
 */

import { crc32 } from "node:zlib"
import { inflateSync } from "fflate"
import type { Finding, FindingCode } from "./adapter.ts"
import { hard } from "./findings.ts"

export interface ZipLimits {
  readonly entriesMax: number
  /** Of all entries together, unpacked. */
  readonly bytesMax: number
}

export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

export type Unzipped = { readonly entries: readonly ZipEntry[] } | { readonly finding: Finding }

interface DirectoryEntry {
  readonly name: string
  readonly method: number
  readonly encrypted: boolean
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly headerAt: number
}

// PKWARE APPNOTE 4.3.7, 4.3.12, 4.3.16.
const LOCAL_HEADER = 0x04034b50
const DIRECTORY_ENTRY = 0x02014b50
const DIRECTORY_END = 0x06054b50
const LOCAL_HEADER_BYTES = 30
const DIRECTORY_ENTRY_BYTES = 46
const DIRECTORY_END_BYTES = 22
const COMMENT_BYTES_MAX = 0xffff
const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1

class ZipFault extends Error {
  constructor(
    readonly code: FindingCode,
    message: string,
  ) {
    super(message)
  }
}

/** Every entry unpacked and proven by its checksum, or the one finding that says why not. ZIP64 is not read. */
export function unzip(bytes: Uint8Array, file: string, limits: ZipLimits): Unzipped {
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const directory = readDirectory(view, bytes, limits)
    return { entries: directory.map((entry) => ({ name: entry.name, bytes: unpack(view, bytes, entry) })) }
  } catch (error) {
    if (error instanceof ZipFault) return { finding: hard(error.code, error.message, file) }
    throw error
  }
}

function readDirectory(view: DataView, bytes: Uint8Array, limits: ZipLimits): DirectoryEntry[] {
  const end = findDirectoryEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > limits.entriesMax) throw new ZipFault("TOO_LARGE", `${count} entries, at most ${limits.entriesMax}`)
  const entries: DirectoryEntry[] = []
  let total = 0
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (at + DIRECTORY_ENTRY_BYTES > end || view.getUint32(at, true) !== DIRECTORY_ENTRY) {
      throw new ZipFault("CORRUPT", "the central directory is damaged")
    }
    const nameLength = view.getUint16(at + 28, true)
    const nameAt = at + DIRECTORY_ENTRY_BYTES
    const entry: DirectoryEntry = {
      name: new TextDecoder("utf-8").decode(bytes.subarray(nameAt, nameAt + nameLength)),
      encrypted: (view.getUint16(at + 8, true) & ENCRYPTED_FLAG) !== 0,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      headerAt: view.getUint32(at + 42, true),
    }
    total += entry.size
    if (total > limits.bytesMax) {
      throw new ZipFault("TOO_LARGE", `unpacks to more than the ${limits.bytesMax} bytes that are read`)
    }
    entries.push(entry)
    at = nameAt + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** The end record must reach exactly to the last byte, so nothing can be cut off behind it or appended to it. */
function findDirectoryEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - DIRECTORY_END_BYTES - COMMENT_BYTES_MAX)
  for (let at = view.byteLength - DIRECTORY_END_BYTES; at >= lowest; at -= 1) {
    if (view.getUint32(at, true) !== DIRECTORY_END) continue
    if (at + DIRECTORY_END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at
  }
  throw new ZipFault("TRUNCATED", "the archive has no end record")
}

function unpack(view: DataView, bytes: Uint8Array, entry: DirectoryEntry): Uint8Array {
  const { name, headerAt, packedSize } = entry
  if (entry.encrypted) throw new ZipFault("NOT_DATA", `${name} is encrypted`)
  if (headerAt + LOCAL_HEADER_BYTES > bytes.length || view.getUint32(headerAt, true) !== LOCAL_HEADER) {
    throw new ZipFault("CORRUPT", `${name} has no local header`)
  }
  const dataAt =
    headerAt + LOCAL_HEADER_BYTES + view.getUint16(headerAt + 26, true) + view.getUint16(headerAt + 28, true)
  if (dataAt + packedSize > bytes.length) throw new ZipFault("TRUNCATED", `${name} reaches past the end`)
  const unpacked = inflate(bytes.subarray(dataAt, dataAt + packedSize), entry)
  if (unpacked.length !== entry.size || crc32(unpacked) !== entry.crc) {
    throw new ZipFault("CORRUPT", `${name} does not have its declared checksum`)
  }
  return unpacked
}

function inflate(packed: Uint8Array, entry: DirectoryEntry): Uint8Array {
  if (entry.method === STORED) return packed
  if (entry.method !== DEFLATED) throw new ZipFault("NOT_DATA", `${entry.name} is packed by method ${entry.method}`)
  try {
    // The output is as large as declared and never grows; what does not fit is dropped and fails the checksum.
    return inflateSync(packed, { out: new Uint8Array(entry.size) })
  } catch (error) {
    throw new ZipFault("CORRUPT", `${entry.name} cannot be unpacked: ${error instanceof Error ? error.message : "?"}`)
  }
}

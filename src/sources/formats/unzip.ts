/**
 * Reads a ZIP archive from its central directory and checks every CRC-32. A library's `unzip` alone is not enough: many libraries do not
 * compare checksums and trust the declared sizes, so a damaged or hostile archive would pass.
 */

import { crc32, inflateRawSync } from "node:zlib"
import type { Finding } from "../records/adapter.ts"
import { hard } from "../records/findings.ts"
import {
  type ArchiveBytes,
  type DirectoryEntry,
  packedAt,
  readDirectory,
  STORED,
  ZipFault,
  type ZipLimits,
} from "./zip-directory.ts"

interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

type Unzipped = { readonly entries: readonly ZipEntry[] } | { readonly finding: Finding }

/** Returns every entry, unpacked and verified by its checksum, or the one finding that states the fault. */
export function unzip(bytes: Uint8Array, file: string, limits: ZipLimits): Unzipped {
  const archive: ArchiveBytes = { size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }
  try {
    const directory = readDirectory(archive, limits)
    return { entries: directory.map((entry) => ({ name: entry.name, bytes: unpack(archive, entry) })) }
  } catch (error) {
    if (error instanceof ZipFault) return { finding: hard(error.code, error.message, file) }
    throw error
  }
}

function unpack(archive: ArchiveBytes, entry: DirectoryEntry): Uint8Array {
  const unpacked = inflate(archive.read(packedAt(archive, entry), entry.packedSize), entry)
  if (unpacked.length !== entry.size || crc32(unpacked) !== entry.crc) {
    throw new ZipFault("CORRUPT", `${entry.name} does not have its declared checksum`)
  }
  return unpacked
}

function inflate(packed: Uint8Array, entry: DirectoryEntry): Uint8Array {
  if (entry.method === STORED) return packed
  try {
    // The output never exceeds the declared size, which stops a ZIP bomb. The limit must not be 0.
    const { buffer, byteOffset, byteLength } = inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
    return new Uint8Array(buffer, byteOffset, byteLength)
  } catch (error) {
    throw new ZipFault("CORRUPT", `${entry.name} cannot be unpacked: ${error instanceof Error ? error.message : "?"}`)
  }
}

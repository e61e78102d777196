/** Inflates one entry of a ZIP archive on disk as a stream, and checks its length and CRC-32 at the end. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs"
import { pipeline, type Readable } from "node:stream"
import { crc32, createInflateRaw } from "node:zlib"
import {
  type ArchiveBytes,
  type DirectoryEntry,
  packedAt,
  readDirectory,
  STORED,
  ZipFault,
  type ZipLimits,
} from "./zip-directory.ts"

const CHUNK_BYTES = 256 * 1024

/** Returns the entries of the archive at `path`. Throws {@link ZipFault}. */
export function listArchive(path: string, limits: ZipLimits): readonly DirectoryEntry[] {
  return withArchive(path, (archive) => readDirectory(archive, limits))
}

/** Throws {@link ZipFault} if the bytes differ from the directory. The caller then discards what it already received. */
export async function* streamEntry(
  path: string,
  entry: DirectoryEntry,
  onPacked: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const start = withArchive(path, (archive) => packedAt(archive, entry))
  if (entry.packedSize === 0 && entry.size === 0) return
  const packed = createReadStream(path, { start, end: start + entry.packedSize - 1, highWaterMark: CHUNK_BYTES })
  const unpacked = entry.method === STORED ? packed : inflated(packed)
  let told = 0
  let size = 0
  let crc = 0
  try {
    for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
      size += chunk.length
      // This also stops an entry that unpacks without end.
      if (size > entry.size) break
      crc = crc32(chunk, crc)
      onPacked(packed.bytesRead - told)
      told = packed.bytesRead
      yield chunk
    }
  } catch (error) {
    if (isInflateError(error)) throw new ZipFault("CORRUPT", `${entry.name} cannot be unpacked: ${error.message}`)
    throw error
  } finally {
    packed.destroy()
    unpacked.destroy()
  }
  if (size !== entry.size || crc !== entry.crc) {
    throw new ZipFault("CORRUPT", `${entry.name} does not have its declared checksum`)
  }
}

function inflated(packed: Readable): Readable {
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES })
  // The reader of `inflate` receives the error.
  pipeline(packed, inflate, () => {})
  return inflate
}

function isInflateError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_")
}

function withArchive<T>(path: string, work: (archive: ArchiveBytes) => T): T {
  const descriptor = openSync(path, "r")
  try {
    return work({
      size: fstatSync(descriptor).size,
      read(at, length) {
        const bytes = new Uint8Array(length)
        let filled = 0
        while (filled < length) {
          const read = readSync(descriptor, bytes, filled, length - filled, at + filled)
          if (read === 0) throw new ZipFault("TRUNCATED", "the archive ends early")
          filled += read
        }
        return bytes
      },
    })
  } finally {
    closeSync(descriptor)
  }
}

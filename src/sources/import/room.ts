/** The disk space that the import of a register needs. */
import { statSync } from "node:fs"
import { ZipFault } from "../formats/zip-directory.ts"
import { listArchive } from "../formats/zip-stream.ts"
import { type Input, pathOf } from "./read-input.ts"

/** The disk lacks the space for this import; nothing was written. */
export class NoRoom extends Error {}

/** Measured: the file of Companies House becomes two thirds of its unpacked bytes. */
const REGISTER_SHARE = 0.8
/** Disk space kept free for the service's database. */
const RESERVE_BYTES = 256 * 1024 * 1024
const ARCHIVE_LIMITS = { entriesMax: 64, bytesMax: 64 * 1024 * 1024 * 1024 }

/** Throws {@link NoRoom} before the import would use the space that the service needs. `free` returns the free bytes of a folder's disk. */
export function requireRoom(folder: string, needed: number, free: (folder: string) => number): void {
  if (needed === 0) return
  const available = free(folder)
  if (available >= needed) return
  throw new NoRoom(`the import needs ${needed} bytes free in ${folder}, which has ${available}`)
}

/** Space for the copies, the entries and the reserve. */
export function bytesNeeded({ files }: Pick<Input, "files">): number {
  const paths = files.map(pathOf)
  const kept = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  const unpacked = paths.reduce((sum, path) => sum + unpackedBytes(path), 0)
  return Math.ceil(kept + unpacked * REGISTER_SHARE + RESERVE_BYTES)
}

/** A file that is not an archive, or a damaged one, counts with its own size. The parse reports its fault. */
function unpackedBytes(path: string): number {
  try {
    return listArchive(path, ARCHIVE_LIMITS).reduce((sum, { size }) => sum + size, 0)
  } catch (error) {
    if (error instanceof ZipFault) return statSync(path).size
    throw error
  }
}

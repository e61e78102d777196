/** Finds the operator's input for a register within limits, without reading it, and computes the disk space that its import needs. */
import { statSync } from "node:fs"
import { ZipFault } from "../formats/zip-directory.ts"
import { listArchive } from "../formats/zip-stream.ts"
import type { RegisterId } from "../records/register-id.ts"
import { type FoundInput, findInput } from "./read-input.ts"

export const REGISTER_INPUT_LIMITS = { files: 32, bytes: 16 * 1024 * 1024 * 1024 }

/** Throws InputError. `pinned` are public keys: if there is one, one of them must have signed the manifest. */
export function readRegisterInput(
  paths: readonly string[],
  id: RegisterId,
  pinned: readonly string[] = [],
): FoundInput {
  return findInput(paths, id, REGISTER_INPUT_LIMITS, pinned)
}

/** The disk lacks the space for this import; nothing was written. */
export class NoRoom extends Error {}

/** Measured: the file of Companies House becomes two thirds of its unpacked bytes. */
const REGISTER_SHARE = 0.8
/** Disk space kept free for the service's database. */
const RESERVE_BYTES = 256 * 1024 * 1024
const ARCHIVE_LIMITS = { entriesMax: 64, bytesMax: 64 * 1024 * 1024 * 1024 }

/** Throws {@link NoRoom} before the import would use the space that the service needs. */
export function requireRoom(input: Pick<FoundInput, "files">, folder: string, free: (folder: string) => number): void {
  const needed = bytesNeeded(input)
  const available = free(folder)
  if (available >= needed) return
  throw new NoRoom(`the import needs ${needed} bytes free in ${folder}, which has ${available}`)
}

function bytesNeeded({ files }: Pick<FoundInput, "files">): number {
  const kept = files.reduce((sum, { path }) => sum + statSync(path).size, 0)
  const unpacked = files.reduce((sum, { path }) => sum + unpackedBytes(path), 0)
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

/** Files that survive a crash: write, sync, rename, then sync the folder, because a new name is durable only after that. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"

const OWNER_ONLY = 0o600

/**
 * Runs a call on the descriptor of the file `path`. Errors of the operating system for a descriptor name no file, so this adds `path`.
 */
export function atPath<T>(path: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof Error && !("path" in error)) Object.assign(error, { path })
    throw error
  }
}

/** Writes the parts in order into a new file and syncs it. Its name is not durable yet: see {@link syncFolder}. Returns the bytes written. */
export function writeNewFile(path: string, parts: Iterable<Uint8Array | string>, mode = OWNER_ONLY): number {
  const file = openSync(path, "wx", mode)
  try {
    let total = 0
    for (const part of parts) total += writeAll(file, path, typeof part === "string" ? Buffer.from(part) : part)
    atPath(path, () => fsyncSync(file))
    return total
  } finally {
    closeSync(file)
  }
}

/** The same for content that arrives piece by piece. Waits for the next piece only after it wrote the one before. */
export async function writeStreamed(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  mode = OWNER_ONLY,
): Promise<number> {
  const file = openSync(path, "wx", mode)
  try {
    let total = 0
    for await (const piece of pieces) total += writeAll(file, path, piece)
    atPath(path, () => fsyncSync(file))
    return total
  } finally {
    closeSync(file)
  }
}

/** Writes all bytes to the descriptor `file` of `path`, because one `write` may take fewer. */
export function writeAll(file: number, path: string, bytes: Uint8Array): number {
  for (let written = 0; written < bytes.length; ) written += atPath(path, () => writeSync(file, bytes, written))
  return bytes.length
}

/** Gives a synced file or folder its final name. Replaces a file of that name at once. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** Replaces the content of a file with one rename, so that a crash leaves the old or the new content. Readable by its owner only. */
export function replaceFile(path: string, content: Uint8Array | string): void {
  const partial = `${path}.partial-${process.pid}`
  // A killed process with the same id may have left it.
  rmSync(partial, { force: true })
  writeNewFile(partial, [content])
  renameDurably(partial, path)
}

/** For a file that another function wrote. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+")
  try {
    atPath(path, () => fsyncSync(file))
  } finally {
    closeSync(file)
  }
}

/** A new or removed name survives a power loss only after its folder is synced too. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r")
  try {
    atPath(path, () => fsyncSync(folder))
  } finally {
    closeSync(folder)
  }
}

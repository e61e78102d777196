/** Copies files larger than memory and computes the digest of the copied bytes, or only computes the digest. */
import { createHash } from "node:crypto"
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync } from "node:fs"
import { open } from "node:fs/promises"
import { atPath, writeAll } from "../../base/durable-file.ts"

const CHUNK_BYTES = 256 * 1024
/** Written to disk in small portions: one sync of gigabytes at the end would delay the commits of every other process. */
export const SYNC_EVERY_BYTES = 16 * 1024 * 1024

interface Copied {
  /** 64 lower-case hex characters. */
  readonly sha256: string
  readonly bytes: number
}

/** `to` must not exist. It is durable when this returns. */
export function copyWithDigest(from: string, to: string, onCopied: (bytes: number) => void): Copied {
  const source = openSync(from, "r")
  try {
    const target = openSync(to, "wx", 0o600)
    try {
      return copy(source, { descriptor: target, path: to }, onCopied)
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

function copy(
  source: number,
  target: { readonly descriptor: number; readonly path: string },
  onCopied: (bytes: number) => void,
): Copied {
  const { descriptor, path } = target
  const digest = createHash("sha256")
  const chunk = new Uint8Array(CHUNK_BYTES)
  let bytes = 0
  let unsynced = 0
  for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
    const piece = chunk.subarray(0, read)
    writeAll(descriptor, path, piece)
    digest.update(piece)
    bytes += read
    unsynced += read
    if (unsynced >= SYNC_EVERY_BYTES) {
      atPath(path, () => fdatasyncSync(descriptor))
      unsynced = 0
    }
    onCopied(read)
  }
  atPath(path, () => fsyncSync(descriptor))
  return { sha256: digest.digest("hex"), bytes }
}

/** Returns 64 lower-case hex characters. `onRead` receives the bytes of each chunk. */
export async function wholeDigest(path: string, onRead: (bytes: number) => void): Promise<string> {
  const digest = await fileDigest(path, async (bytes) => {
    onRead(bytes)
    return true
  })
  return digest ?? ""
}

/**
 * Returns 64 lower-case hex characters, or null if `goOn` returned false after a chunk of so many bytes. A process with other work can pause
 * in `goOn`.
 */
export async function fileDigest(path: string, goOn: (bytes: number) => Promise<boolean>): Promise<string | null> {
  const source = await open(path, "r")
  try {
    const digest = createHash("sha256")
    const chunk = new Uint8Array(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES)
      if (bytesRead === 0) return digest.digest("hex")
      digest.update(chunk.subarray(0, bytesRead))
      if (!(await goOn(bytesRead))) return null
    }
  } finally {
    await source.close()
  }
}

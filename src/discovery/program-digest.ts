import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { COMPILED_FOR } from "../base/build-facts.ts"
import type { Digest } from "../core/digest.ts"

/** Linux keeps the file of a running program under this name, also after an update has replaced it. */
const RUNNING_PROGRAM = process.platform === "linux" ? "/proc/self/exe" : process.execPath

/**
 * Returns the SHA-256 of the file of the running program, or null if it runs from source. Reads the file in pieces, so that requests are
 * answered in between. Rejects if the file cannot be read.
 */
export async function programDigest(): Promise<Digest | null> {
  return COMPILED_FOR === null ? null : fileDigest(RUNNING_PROGRAM)
}

async function fileDigest(path: string): Promise<Digest> {
  const sha256 = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) sha256.update(piece as Uint8Array)
  return `sha256:${sha256.digest("hex")}` as Digest
}

const PIECE_BYTES = 256 * 1024

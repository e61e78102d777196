import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { Digest } from "../core/digest.ts"

const PIECE_BYTES = 256 * 1024

/** Returns the SHA-256 of a file. Reads it in pieces, so that requests are answered in between. Rejects if it cannot be read. */
export async function fileDigest(path: string): Promise<Digest> {
  const sha256 = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) sha256.update(piece as Uint8Array)
  return `sha256:${sha256.digest("hex")}` as Digest
}

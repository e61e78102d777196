import { COMPILED_FOR } from "../base/build-facts.ts"
import { fileDigest } from "../base/file-digest.ts"
import type { Digest } from "../core/digest.ts"

/** Linux keeps the file of a running program under this name, also after an update has replaced it. */
const RUNNING_PROGRAM = process.platform === "linux" ? "/proc/self/exe" : process.execPath

/**
 * Returns the SHA-256 of the file of the running program, or null if it runs from source. Rejects if the file cannot be read.
 */
export async function programDigest(): Promise<Digest | null> {
  return COMPILED_FOR === null ? null : fileDigest(RUNNING_PROGRAM)
}

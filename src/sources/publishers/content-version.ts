import { digestBytes } from "../../core/digest.ts"
import type { SourceFile } from "../records/adapter.ts"
import { baseName } from "../records/source-text.ts"

/** Number of digest characters in a version: enough to distinguish publications, short enough to read aloud. */
const HEX_LENGTH = 16

/**
 * Version of a publication whose bytes state no date: `<16 hex>#<records>`. Accepts any file names. The raw digest of a manifest does not,
 * because it rejects names that a manifest may not hold.
 */
export function contentVersion(files: readonly SourceFile[], records: number): string {
  const lines = files.map((file) => `${digestBytes(file.bytes)} ${baseName(file.name).toLowerCase()}\n`).sort()
  return `${digestBytes(lines.join("")).slice("sha256:".length, "sha256:".length + HEX_LENGTH)}#${records}`
}

/**
 * Identifies a publication independent of its file names and of other files in the folder. `digests` are SHA-256 in hex, one for each used
 * file; empty if there is none.
 */
export function contentKey(digests: readonly string[]): string {
  return [...digests].sort().join(" ")
}

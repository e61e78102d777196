import { digestBytes } from "../../core/digest.ts"
import type { SourceFile } from "../records/adapter.ts"
import { baseName } from "../records/source-text.ts"

/** Length of the digest's share of a version: enough to tell publications apart, short enough to read aloud. */
const HEX_LENGTH = 16

/**
 * For publishers that state no date in their bytes: `<16 hex>#<records>`. Total for any file names, so not the raw
 * digest of a manifest, which refuses names that no manifest may hold.
 */
export function contentVersion(files: readonly SourceFile[], records: number): string {
  const lines = files.map((file) => `${digestBytes(file.bytes)} ${baseName(file.name).toLowerCase()}\n`).sort()
  return `${digestBytes(lines.join("")).slice("sha256:".length, "sha256:".length + HEX_LENGTH)}#${records}`
}

/**
 * Recognises a publication whatever its files are called and whatever lies beside them. `digests` are SHA-256 in hex, one for each file
 * that was used; empty for none.
 */
export function contentKey(digests: readonly string[]): string {
  return [...digests].sort().join(" ")
}

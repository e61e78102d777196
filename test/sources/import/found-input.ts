/** An input with the retrieval time of its manifest, and every finding about it, as an import of a list takes them. */
import { digestBytes } from "../../../src/core/digest.ts"
import { readInput } from "../../../src/sources/import/read-input.ts"
import { manifestFindings } from "../../../src/sources/import/read-manifest.ts"

export function foundInput(paths: readonly string[], sourceId: string) {
  const { files, manifest, findings } = readInput(paths, sourceId)
  const digested = files.map(({ name, bytes }) => {
    return { name, sha256: digestBytes(bytes).slice("sha256:".length), bytes: bytes.length }
  })
  return {
    files,
    retrievedAt: manifest?.retrievedAt ?? null,
    findings: [...manifestFindings(manifest, digested), ...findings],
  }
}

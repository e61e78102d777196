import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { SourceFile } from "../records/adapter.ts"
import type { FoundFile } from "./read-input.ts"
import { readManifest, statedFacts } from "./read-manifest.ts"
import { MANIFEST_FILE } from "./snapshot-files.ts"

/** The publisher's files of a kept snapshot, as its manifest names them. Throws {@link InputError} for a damaged manifest. */
export function keptPaths(folder: string, sourceId: string): readonly FoundFile[] {
  const manifest = readManifest(join(folder, MANIFEST_FILE), sourceId)
  return [...manifest.files.keys()].map((name) => ({ name, path: join(folder, name), ...statedFacts(manifest, name) }))
}

/** The same, with their bytes. */
export function keptFiles(folder: string, sourceId: string): readonly SourceFile[] {
  return keptPaths(folder, sourceId).map(({ path, ...facts }) => ({
    ...facts,
    bytes: new Uint8Array(readFileSync(path)),
  }))
}

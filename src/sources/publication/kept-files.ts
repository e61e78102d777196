import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { SourceFile } from "../records/adapter.ts"
import { readManifest, statedFacts } from "./read-manifest.ts"
import { MANIFEST_FILE } from "./snapshot-files.ts"

/** Reads the publisher's files of a kept snapshot, as its manifest names them. Throws {@link InputError} for a damaged manifest. */
export function keptFiles(folder: string, sourceId: string): readonly SourceFile[] {
  const manifest = readManifest(join(folder, MANIFEST_FILE), sourceId)
  return [...manifest.files.keys()].map((name) => ({
    name,
    bytes: new Uint8Array(readFileSync(join(folder, name))),
    ...statedFacts(manifest, name),
  }))
}

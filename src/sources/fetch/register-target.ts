/** Fetch target of a bulk register. Its files are never held in memory. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { StatedFiles } from "../publication/read-manifest.ts"
import { type ManifestFile, REGISTER_FILE, snapshotFolder } from "../publication/snapshot-files.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import { fileDigest } from "../registers/copy-file.ts"
import { importRegister, type OnProgress } from "../registers/import-register.ts"
import type { Downloaded } from "./download-file.ts"
import { type FetchTarget, fetchedFile, fetchOptions, fromPublisher, type TargetContext } from "./fetch-target.ts"
import { REGISTER_PLANS } from "./plans.ts"

export function registerTarget(
  adapter: RegisterAdapter,
  context: TargetContext & { readonly onProgress?: OnProgress },
): FetchTarget {
  return {
    sourceId: adapter.id,
    parserVersion: adapter.parserVersion,
    plan: REGISTER_PLANS[adapter.id],
    dates: null,
    fault: (active) => faultOf(context.root, active),
    bring: (files, at, isPublisher) =>
      importRegister(
        { ...context, adapter },
        {
          files: files.map((file) => fetchedFile(file, at)),
          manifest: received(adapter.id, files, at),
          vouched: null,
          findings: [],
        },
        fetchOptions(context, isPublisher ? fromPublisher(files, at) : null),
      ),
  }
}

/** Digests as received from the wire, with the time. The copy step compares them, so that it detects a disk that returns other bytes. */
function received(sourceId: string, files: readonly Downloaded[], at: number): StatedFiles {
  const stated = files.map((file) => {
    const { sha256, bytes } = file
    return [file.name, { sha256, bytes, lastModified: fetchedFile(file, at).modifiedAt }] as const
  })
  // Not signed. `value` is the content that a signature would cover.
  const vouched = { published: null, confirmedAt: null }
  return { sourceId, retrievedAt: at, files: new Map(stated), vouched, value: null }
}

/** Reads gigabytes. A register has at most one round a day, and the round runs outside the service process. */
async function faultOf(root: string, row: SnapshotRow): Promise<string | null> {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const files = JSON.parse(row.files) as readonly ManifestFile[]
  const kept = [{ name: REGISTER_FILE, sha256: row.partiesSha256.replace("sha256:", "") }, ...files]
  for (const { name, sha256 } of kept) {
    const path = join(folder, name)
    if (!existsSync(path)) return `${name} is missing`
    if ((await fileDigest(path, async () => true)) !== sha256) return `${name} has other bytes than recorded`
  }
  return null
}

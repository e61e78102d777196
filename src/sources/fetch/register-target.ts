/** Fetch target of a bulk register. Its files are never held in memory. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { wholeDigest } from "../import/copy-file.ts"
import { importRegister } from "../import/import-register.ts"
import type { StatedFiles } from "../import/read-manifest.ts"
import { type ManifestFile, REGISTER_FILE, snapshotFolder } from "../import/snapshot-files.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import type { Downloaded } from "./download-file.ts"
import { type FetchTarget, fetchedFile, fetchOptions, fromPublisher, type TargetContext } from "./fetch-target.ts"
import { REGISTER_PLANS } from "./plans.ts"

export function registerTarget(adapter: RegisterAdapter, context: TargetContext): FetchTarget {
  return {
    sourceId: adapter.id,
    parserVersion: adapter.parserVersion,
    plan: REGISTER_PLANS[adapter.id],
    dates: null,
    fault: (active) => faultOf(context.root, active, context.work),
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
async function faultOf(root: string, row: SnapshotRow, work: LongWork = UNWATCHED): Promise<string | null> {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const files = JSON.parse(row.files) as readonly ManifestFile[]
  const kept = [{ name: REGISTER_FILE, sha256: row.partiesSha256.replace("sha256:", "") }, ...files]
  const missing = kept.find(({ name }) => !existsSync(join(folder, name)))
  if (missing) return `${missing.name} is missing`
  const total = kept.reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0)
  work.step({ what: "reading the register in use", unit: "bytes", total })
  const onRead = adding(work)
  for (const { name, sha256 } of kept) {
    if ((await wholeDigest(join(folder, name), onRead)) !== sha256) return `${name} has other bytes than recorded`
  }
  return null
}

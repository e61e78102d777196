/** Builds the details of a snapshot from its kept bytes. No database: a service runs it in a thread. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { renameDurably } from "../../base/durable-file.ts"
import { errnoOf } from "../../base/system-fault.ts"
import { type Digest, digestBytes, digestFiles } from "../../core/digest.ts"
import { keptFiles } from "../import/kept-files.ts"
import { PARTIES_FILE, readStoredParties, snapshotFolder } from "../import/snapshot-files.ts"
import { adapterOf } from "../list-registry.ts"
import { InputError } from "../records/input-error.ts"
import { buildFolder } from "./build-folder.ts"
import { carryOver, type DetailedSnapshot } from "./carry-over.ts"
import { DETAILS_FILE, DetailsWriter } from "./details-file.ts"

export interface DetailsTask {
  /** Folder of all snapshots. */
  readonly root: string
  readonly sourceId: string
  readonly snapshot: DetailedSnapshot
  /** Other snapshots of the source, newest first. Their details have the entries that left the list. */
  readonly others: readonly DetailedSnapshot[]
}

export type BuiltDetails =
  | { readonly sha256: Digest; readonly entries: number; readonly fault: null }
  /** Why the kept bytes cannot be used; a sentence without its end. */
  | { readonly fault: string }

/**
 * Writes the file under its final name, in place of an earlier one. Another process may do the same at once: both write the same bytes into files
 * of their own, and each rename leaves a whole file.
 */
export function buildDetails({ root, sourceId, snapshot, others }: DetailsTask): BuiltDetails {
  const adapter = adapterOf(sourceId)
  if (!adapter) throw new TypeError(`${sourceId} is no list`)
  const folder = snapshotFolder(root, sourceId, snapshot.snapshotId)
  try {
    const files = keptFiles(folder, sourceId)
    const named = files.map(({ name, bytes }) => ({ name, sha256: digestBytes(bytes).slice("sha256:".length) }))
    if (digestFiles(named) !== snapshot.rawSha256) return { fault: "the kept files have other bytes than recorded" }
    const { removed } = readStoredParties(readFileSync(join(folder, PARTIES_FILE)))
    const { detailsVersion } = adapter
    const staged = join(buildFolder(root, sourceId), crypto.randomUUID())
    const writer = new DetailsWriter(staged, { sourceId, detailsVersion, rawSha256: snapshot.rawSha256 })
    try {
      adapter.details(files, writer.add)
      carryOver(writer, removed, { root, sourceId, detailsVersion, from: others })
      const sha256 = writer.finish()
      renameDurably(staged, join(folder, DETAILS_FILE))
      return { sha256, entries: writer.size, fault: null }
    } catch (error) {
      writer.discard()
      throw error
    }
  } catch (error) {
    if (error instanceof InputError || (error instanceof Error && errnoOf(error) !== null))
      return { fault: error.message }
    throw error
  }
}

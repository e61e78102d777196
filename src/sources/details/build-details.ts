/** Builds the details of a snapshot from its kept bytes. No database: a service runs it in a thread. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { renameDurably } from "../../base/durable-file.ts"
import { errnoOf } from "../../base/system-fault.ts"
import { type Digest, digestBytes, digestFiles } from "../../core/digest.ts"
import { keptFiles } from "../import/kept-files.ts"
import type { RemovedParty } from "../import/removed-parties.ts"
import { PARTIES_FILE, readStoredParties, STAGING_PREFIX, snapshotFolder } from "../import/snapshot-files.ts"
import { adapterOf } from "../list-registry.ts"
import { InputError } from "../records/input-error.ts"
import { DETAILS_FILE, DetailsWriter, openDetails } from "./details-file.ts"

/** A kept snapshot, and the digests of its details that the database has. */
export interface DetailedSnapshot {
  readonly snapshotId: string
  readonly rawSha256: string
  readonly digests: readonly string[]
}

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
    const staged = join(root, sourceId, `${STAGING_PREFIX}${crypto.randomUUID()}`)
    const writer = new DetailsWriter(staged, { sourceId, detailsVersion, rawSha256: snapshot.rawSha256 })
    try {
      adapter.details(files, writer.add)
      carryOver(writer, removed, { root, sourceId, detailsVersion, from: others })
    } catch (error) {
      writer.discard()
      throw error
    }
    const sha256 = writer.finish()
    renameDurably(staged, join(folder, DETAILS_FILE))
    return { sha256, entries: writer.size, fault: null }
  } catch (error) {
    if (error instanceof InputError || (error instanceof Error && errnoOf(error) !== null))
      return { fault: error.message }
    throw error
  }
}

interface Earlier extends Pick<DetailsTask, "root" | "sourceId"> {
  readonly detailsVersion: string
  /** Newest first. */
  readonly from: readonly DetailedSnapshot[]
}

/** Adds the entries that left the list and are still screened, from the details of earlier snapshots. What none of them has stays without details. */
export function carryOver(writer: DetailsWriter, removed: readonly RemovedParty[], earlier: Earlier): void {
  const { root, sourceId, detailsVersion, from } = earlier
  for (const { snapshotId, rawSha256, digests } of from) {
    const left = removed.filter(({ party }) => !writer.has(party.entryId))
    if (left.length === 0) return
    const path = join(snapshotFolder(root, sourceId, snapshotId), DETAILS_FILE)
    const { reader } = openDetails(path, { sourceId, detailsVersion, rawSha256 }, digests)
    if (reader === null) continue
    for (const { party, removedAt } of left) {
      const details = reader.read(party.entryId)?.details
      if (details) writer.add({ removed_at: removedAt, ...details })
    }
    reader.close()
  }
}

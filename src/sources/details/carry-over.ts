/** Entries that left their list and are still screened keep their details. A running service imports this file, so it loads no parser. */
import { join } from "node:path"
import type { RemovedParty } from "../import/removed-parties.ts"
import { snapshotFolder } from "../import/snapshot-files.ts"
import { DETAILS_FILE, type DetailsWriter, openDetails } from "./details-file.ts"

/** A kept snapshot, and the digests of its details that the database has. */
export interface DetailedSnapshot {
  readonly snapshotId: string
  readonly rawSha256: string
  readonly digests: readonly string[]
}

interface Earlier {
  /** Folder of all snapshots. */
  readonly root: string
  readonly sourceId: string
  readonly detailsVersion: string
  /** Newest first. */
  readonly from: readonly DetailedSnapshot[]
}

/**
 * Adds the entries that left the list and are still screened, from the details of earlier snapshots. What none of them has stays without details.
 * Returns false if the line of one of these entries is damaged.
 */
export function carryOver(writer: DetailsWriter, removed: readonly RemovedParty[], earlier: Earlier): boolean {
  const { root, sourceId, detailsVersion, from } = earlier
  let isWhole = true
  for (const { snapshotId, rawSha256, digests } of from) {
    const left = removed.filter(({ party }) => !writer.has(party.entryId))
    if (left.length === 0) return isWhole
    const path = join(snapshotFolder(root, sourceId, snapshotId), DETAILS_FILE)
    const { reader } = openDetails(path, { sourceId, detailsVersion, rawSha256 }, digests)
    if (reader === null) continue
    for (const { party, removedAt } of left) {
      const read = reader.read(party.entryId)
      if (read?.details) writer.add({ removed_at: removedAt, ...read.details })
      else if (read) isWhole = false
    }
    reader.close()
  }
  return isWhole
}

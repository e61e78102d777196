/** What an import of a list does for the details of its entries. */
import { join } from "node:path"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { detailDigests, recordDetails, type SnapshotDetail } from "../../store/sources/snapshot-details.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { keptFiles } from "../import/kept-files.ts"
import type { RemovedParty } from "../import/removed-parties.ts"
import { snapshotFolder } from "../import/snapshot-files.ts"
import type { SourceAdapter } from "../records/adapter.ts"
import { carryOver } from "./carry-over.ts"
import { DETAILS_FILE, type DetailsWriter, openDetails } from "./details-file.ts"

interface Before {
  readonly store: Pick<Store, "read">
  /** Folder of all snapshots. */
  readonly root: string
  readonly adapter: SourceAdapter
  /** The snapshot in use. Its bytes were checked. */
  readonly active: SnapshotRow
}

/** Adds the entries that left the list and are still screened, from the snapshot in use. */
export async function carryOverFrom(
  { store, root, adapter, active }: Before,
  writer: DetailsWriter,
  removed: readonly RemovedParty[],
): Promise<void> {
  const left = removed.filter(({ party }) => !writer.has(party.entryId))
  if (left.length === 0) return
  const { id: sourceId, detailsVersion } = adapter
  const { snapshotId, rawSha256 } = active
  const digests = await store.read(() => detailDigests(snapshotId, detailsVersion))
  const folder = snapshotFolder(root, sourceId, snapshotId)
  const { reader } = openDetails(join(folder, DETAILS_FILE), { sourceId, detailsVersion, rawSha256 }, digests)
  reader?.close()
  const from = [{ snapshotId, rawSha256, digests }]
  if (reader && carryOver(writer, left, { root, sourceId, detailsVersion, from })) return
  // The snapshot in use is of a release without details, or its file is damaged.
  addFromKeptFiles(
    { folder, adapter },
    writer,
    left.filter(({ party }) => !writer.has(party.entryId)),
  )
}

function addFromKeptFiles(
  { folder, adapter }: { readonly folder: string; readonly adapter: SourceAdapter },
  writer: DetailsWriter,
  left: readonly RemovedParty[],
): void {
  const removedAt = new Map(left.map((one) => [one.party.entryId, one.removedAt]))
  adapter.details(keptFiles(folder, adapter.id), (details) => {
    const at = removedAt.get(details.entry_id)
    if (at !== undefined) writer.add({ removed_at: at, ...details })
  })
}

/** Records the details in the unit that makes their snapshot the active one. */
export function withDetails(activate: () => Unit<boolean>, detail: SnapshotDetail): () => Unit<boolean> {
  return function* () {
    if (!(yield* activate())) return false
    yield* recordDetails(detail)
    return true
  }
}

/** Opens the details of a snapshot, and knows what a build of them needs. */
import { join } from "node:path"
import type { Store } from "../../store/engine/unit.ts"
import { detailDigests, recordDetails } from "../../store/sources/snapshot-details.ts"
import { type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import { snapshotFolder } from "../import/snapshot-files.ts"
import { LIST_ROWS } from "../records/list-rows.ts"
import type { SourceId } from "../records/party.ts"
import type { BuiltDetails, DetailsTask } from "./build-details.ts"
import { inBuildFolder } from "./build-folder.ts"
import type { DetailedSnapshot } from "./carry-over.ts"
import { DETAILS_FILE, type OpenedDetails, openDetails } from "./details-file.ts"

export interface DetailsPlace {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
}

type Row = Pick<SnapshotRow, "sourceId" | "snapshotId" | "rawSha256">

const BUSY = { fault: "another process builds the details of this list now" } as const

/** The version of the details that this program reads. Throws a TypeError for a source that is no list. */
export function detailsVersionOf(sourceId: string): string {
  const row = LIST_ROWS[sourceId as SourceId]
  if (!row) throw new TypeError(`${sourceId} is no list`)
  return row.detailsVersion
}

export async function openDetailsOf({ store, root }: DetailsPlace, row: Row): Promise<OpenedDetails> {
  const { sourceId, snapshotId, rawSha256 } = row
  const detailsVersion = detailsVersionOf(sourceId)
  const digests = await store.read(() => detailDigests(snapshotId, detailsVersion))
  const path = join(snapshotFolder(root, sourceId, snapshotId), DETAILS_FILE)
  return openDetails(path, { sourceId, detailsVersion, rawSha256 }, digests)
}

/** Builds the file with `build`, records it and opens it. Throws the reason of `signal`. */
export async function buildDetailsOf(
  place: DetailsPlace,
  row: Row,
  build: (task: DetailsTask) => BuiltDetails | Promise<BuiltDetails>,
  signal?: AbortSignal,
): Promise<OpenedDetails> {
  const { sourceId, snapshotId } = row
  const detailsVersion = detailsVersionOf(sourceId)
  const work = async () => build(await taskOf(place, row))
  const built = (await inBuildFolder(place.root, sourceId, work, signal))?.value ?? BUSY
  if (built.fault !== null) return { reader: null, fault: built.fault, isMissing: false }
  await place.store.run(() => recordDetails({ snapshotId, detailsVersion, sha256: built.sha256 }))
  return openDetailsOf(place, row)
}

async function taskOf({ store, root }: DetailsPlace, row: Row): Promise<DetailsTask> {
  const { sourceId } = row
  const detailsVersion = detailsVersionOf(sourceId)
  const detailed = async ({ snapshotId, rawSha256 }: Row): Promise<DetailedSnapshot> => {
    return { snapshotId, rawSha256, digests: await store.read(() => detailDigests(snapshotId, detailsVersion)) }
  }
  const others: DetailedSnapshot[] = []
  for (const other of await store.read(() => snapshotsOnDisk(sourceId)))
    if (other.snapshotId !== row.snapshotId) others.push(await detailed(other))
  return { root, sourceId, snapshot: await detailed(row), others }
}

/** What to do on a machine without the bytes of a snapshot that another machine imported into the database that they share. */
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { snapshotFolder } from "../import/snapshot-files.ts"
import { isRegisterId } from "../records/register-id.ts"

type Absent = Pick<SnapshotRow, "sourceId" | "snapshotId">

/** For people; a sentence without its end. A shared database has no registers, because they have gigabytes. `root`: folder of all snapshots. */
export function absentWayOut(root: string, { sourceId, snapshotId }: Absent): string {
  if (!isRegisterId(sourceId)) return "bizauth serve takes it from the database"
  const folder = snapshotFolder(root, sourceId, snapshotId)
  return `another machine imported it: run bizauth sources import ${sourceId} PATH here with the same files, or copy its folder to ${folder}`
}

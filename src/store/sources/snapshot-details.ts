/** The digests of the files with the details of a snapshot's entries. Each machine builds its own file, so a snapshot may have several. */
import { and, asc, eq } from "drizzle-orm"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"

export interface SnapshotDetail {
  readonly snapshotId: string
  readonly detailsVersion: string
  /** `sha256:` and hex, of the file's header and index. */
  readonly sha256: string
}

const put = write((db, { snapshotDetail: t }) =>
  db
    .insert(t)
    .values({ snapshotId: bind("snapshotId"), detailsVersion: bind("detailsVersion"), sha256: bind("sha256") })
    .onConflictDoNothing(),
)
const digests = query((db, { snapshotDetail: t }) =>
  db
    .select({ sha256: t.sha256 })
    .from(t)
    .where(and(eq(t.snapshotId, bind("snapshotId")), eq(t.detailsVersion, bind("detailsVersion"))))
    .orderBy(asc(t.sha256)),
)

/** A digest that is recorded already stays. */
export function* recordDetails(detail: SnapshotDetail): Unit<void> {
  yield* changed(put, { ...detail })
}

/** Empty if no details of this version were built for the snapshot. */
export function* detailDigests(snapshotId: string, detailsVersion: string): Unit<string[]> {
  return (yield* rows(digests, { snapshotId, detailsVersion })).map(({ sha256 }) => sha256)
}

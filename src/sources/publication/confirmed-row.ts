import type { ConfirmedTimes, SnapshotRow } from "../../store/sources/sources.ts"

/** The row with the times that its publisher's last answer left. It stays the same object while none of them changes. */
export function withConfirmedTimes(row: SnapshotRow, times: ReadonlyMap<string, ConfirmedTimes>): SnapshotRow {
  const next = times.get(row.snapshotId)
  if (next === undefined) return row
  const isSame =
    next.confirmedAt === row.confirmedAt &&
    next.publishedAt === row.publishedAt &&
    next.publishedFrom === row.publishedFrom
  return isSame ? row : { ...row, ...next }
}

import type { ConfirmedTimes, SnapshotRow } from "../../store/sources/sources.ts"

/** Returns the row with the times from its publisher's last response; the same object if none of them changed. */
export function withConfirmedTimes(row: SnapshotRow, times: ReadonlyMap<string, ConfirmedTimes>): SnapshotRow {
  const next = times.get(row.snapshotId)
  if (next === undefined) return row
  const isSame =
    next.confirmedAt === row.confirmedAt &&
    next.publishedAt === row.publishedAt &&
    next.publishedFrom === row.publishedFrom
  return isSame ? row : { ...row, ...next }
}

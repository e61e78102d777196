/** The publication times of the active snapshot and of the next one, as far as the two can be compared. */
import { DAY, formatInstant, instant } from "../core/time.ts"
import type { SnapshotRow } from "../store/sources.ts"
import type { PublicationTime } from "./publication-time.ts"

export interface PublicationOrder {
  /** RFC 3339, or null. */
  readonly before: string | null
  readonly after: string | null
}

/**
 * `timestamp` is what the files state. Where two times have different origins their days are compared: a day in a file begins at midnight,
 * while the HTTP header of the same publication names its hour.
 */
export function publicationOrder(
  row: Pick<SnapshotRow, "publishedAt" | "publishedFrom" | "sourceTimestamp">,
  { timestamp, published }: { readonly timestamp: string | null; readonly published: PublicationTime | null },
): PublicationOrder {
  const before = row.publishedAt ?? row.sourceTimestamp
  const after = published?.at ?? timestamp
  const isSameKind = row.publishedFrom === (published?.from ?? null)
  if (before === null || after === null || isSameKind) return { before, after }
  return { before: dayOf(before), after: dayOf(after) }
}

function dayOf(time: string): string {
  return formatInstant(Math.floor(instant(time) / DAY) * DAY)
}

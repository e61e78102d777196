/** The publication times of the active snapshot and of the next one, as far as they can be compared. */
import { DAY, formatInstant, instant } from "../../core/time.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { PublicationTime } from "./publication-time.ts"

export interface PublicationOrder {
  /** RFC 3339, or null. */
  readonly before: string | null
  readonly after: string | null
}

/**
 * `timestamp` is the time that the files state. If the two times have different origins, only their days are compared: a day in a file
 * begins at midnight, while the HTTP header of the same publication has an hour. The day in the file is the publisher's local day, so the
 * header in UTC may show the next day. Therefore one day earlier counts as the same day.
 */
export function publicationOrder(
  row: Pick<SnapshotRow, "publishedAt" | "publishedFrom" | "sourceTimestamp">,
  { timestamp, published }: { readonly timestamp: string | null; readonly published: PublicationTime | null },
): PublicationOrder {
  const before = row.publishedAt ?? row.sourceTimestamp
  const after = published?.at ?? timestamp
  const isSameKind = row.publishedFrom === (published?.from ?? null)
  if (before === null || after === null || isSameKind) return { before, after }
  const dayBefore = dayOf(before)
  const dayAfter = dayOf(after)
  const isSameDay = dayBefore - dayAfter === DAY
  return { before: formatInstant(dayBefore), after: formatInstant(isSameDay ? dayBefore : dayAfter) }
}

/** Returns the first instant of the day, in milliseconds. */
function dayOf(time: string): number {
  return Math.floor(instant(time) / DAY) * DAY
}

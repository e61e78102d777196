/** The times of one import: when the bytes were retrieved, when their publisher confirmed them, and when it published them. */
import { formatInstant, instant } from "../../core/time.ts"
import type { KnownBytes } from "../../store/sources/source-acceptances.ts"
import type { Acceptance } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { type FromPublisher, type PublicationTime, publicationTime } from "./publication-time.ts"
import type { VouchedTimes } from "./read-manifest.ts"

export interface ImportOptions {
  /** Milliseconds or null. Used only if it is earlier than the time of the input (rulings 53). */
  readonly retrievedAt: number | null
  /** `raw_sha256` of the bytes the operator accepts although they differ much from the active snapshot. */
  readonly acceptShrink: string | null
  /** The command that brought the files, for the manifest; default `bizauth sources import`. */
  readonly retrievedBy?: string
  /** Milliseconds: the operator's statement of the publication time. */
  readonly publishedAt?: number | null
  /** The operator's reason to accept these bytes although their content is old. */
  readonly acceptOld?: string | null
  /** The operator's reason to accept these bytes although they are fewer than the minimum size of the list. */
  readonly acceptSmall?: string | null
  /** Given if the publisher's own host sent these files in this round; never for a mirror. */
  readonly fromPublisher?: FromPublisher | null
}

export interface ImportTimes {
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly confirmedAt: number | null
  readonly published: PublicationTime | null
  readonly findings: readonly Finding[]
}

/**
 * The same bytes keep their first retrieval time: a copy does not renew a list, only its publisher does. `stated` is the retrieval time of
 * the input and `now` the clock, both in milliseconds.
 */
export function importTimes(
  read: { readonly timestamp: string | null; readonly timestampFrom: "CONTENT" | "FILE_NAME" | null },
  known: KnownBytes,
  options: ImportOptions,
  { stated, vouched, now }: { readonly stated: number; readonly vouched: VouchedTimes | null; readonly now: number },
): ImportTimes {
  const { fromPublisher = null, publishedAt = null } = options
  // A file cannot be retrieved later than now, whatever its own time is.
  const given = Math.min(stated, options.retrievedAt ?? stated, now)
  const first = known.retrievedAt === null ? given : Math.min(given, instant(known.retrievedAt))
  const confirmed = [
    fromPublisher ? now : null,
    vouched?.confirmedAt ?? null,
    known.confirmedAt === null ? null : instant(known.confirmedAt),
  ].filter((time) => time !== null)
  const { time, findings } = publicationTime({
    read,
    fromPublisher,
    vouched: vouched?.published ?? null,
    known: known.published,
    stated: publishedAt,
  })
  return {
    retrievedAt: fromPublisher ? given : first,
    confirmedAt: confirmed.length === 0 ? null : Math.min(now, Math.max(...confirmed)),
    published: time,
    findings,
  }
}

/** Returns the acceptances that the operator gives with this import. `now` is in milliseconds. */
export function acceptedNow(
  { acceptOld = null, acceptSmall = null }: ImportOptions,
  now: number,
): readonly Acceptance[] {
  const at = formatInstant(now)
  return [
    ...(acceptOld === null ? [] : [{ what: "OLD" as const, reason: acceptOld, at }]),
    ...(acceptSmall === null ? [] : [{ what: "SMALL" as const, reason: acceptSmall, at }]),
  ]
}

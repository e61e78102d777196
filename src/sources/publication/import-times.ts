/** The times of one import: when its bytes were retrieved, when their publisher confirmed them, and when it published them. */
import { formatInstant, instant } from "../../core/time.ts"
import type { KnownBytes } from "../../store/sources/source-acceptances.ts"
import type { Acceptance } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { type FromPublisher, type PublicationTime, publicationTime } from "./publication-time.ts"
import type { VouchedTimes } from "./read-manifest.ts"

export interface ImportOptions {
  /** Milliseconds, or null; counts only where it is earlier than what the input says (rulings 53). */
  readonly retrievedAt: number | null
  /** `raw_sha256` of the bytes the operator accepts although they differ much from the active snapshot. */
  readonly acceptShrink: string | null
  /** The command that brought the files, for the manifest; `bizauth sources import` unless said. */
  readonly retrievedBy?: string
  /** Milliseconds: the operator says when these files were published. */
  readonly publishedAt?: number | null
  /** Why the operator accepts these bytes although their content is old. */
  readonly acceptOld?: string | null
  /** Why the operator accepts these bytes although they are fewer than the least size of the list. */
  readonly acceptSmall?: string | null
  /** Given where the publisher's own host gave these files in this round; never for a mirror. */
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
 * The same bytes keep their first retrieval: copying a list makes it no younger, only its publisher does. `stated` is what the input says
 * of its retrieval, `now` the clock, both milliseconds.
 */
export function importTimes(
  read: { readonly timestamp: string | null; readonly timestampFrom: "CONTENT" | "FILE_NAME" | null },
  known: KnownBytes,
  options: ImportOptions,
  { stated, vouched, now }: { readonly stated: number; readonly vouched: VouchedTimes | null; readonly now: number },
): ImportTimes {
  const { fromPublisher = null, publishedAt = null } = options
  // No file can have been retrieved later than now, whatever its clock said.
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

/** What the operator accepts with this import. `now` in milliseconds. */
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

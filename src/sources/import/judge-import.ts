/** Decides whether a parsed publication may become the active one. All checks run, and every finding is reported (rulings 53). */
import { formatInstant, instant } from "../../core/time.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Counts, Finding, Mirror, Parsed, SourceAdapter } from "../records/adapter.ts"
import { hard, soft } from "../records/findings.ts"
import type { Party } from "../records/party.ts"
import { undistinctiveNames } from "../screening/listed-names.ts"
import { missedCanaries } from "./canaries.ts"
import { guardAgainst, type Previous } from "./guard.ts"
import { type PublicationOrder, publicationOrder } from "./publication-order.ts"
import type { PublicationTime } from "./publication-time.ts"
import type { ReadInput } from "./read-input.ts"
import type { ReadSnapshot, StoredParties } from "./snapshot-files.ts"

/**
 * Findings that an operator may accept for exactly these bytes. They say that a publication differs much from the active one, which alone
 * proves no fault. CHOICE: growth, emptier columns and an older publication are accepted the same way as a shrunk one, because the first
 * real list after a sample, and the return to an older file, have no other way in.
 */
const ACCEPTABLE: ReadonlySet<string> = new Set(["SHRUNK", "EXPLODED", "FILL_RATE", "OLDER_THAN_ACTIVE"])

/** A mirrored list may lag by a few entries. Above this share one of the two lists is wrong. */
const MIRROR_SHARE_MAX = 0.02

export interface Candidate {
  readonly adapter: SourceAdapter
  readonly input: ReadInput
  readonly parsed: Parsed
  /** Null if the publication time is unknown. */
  readonly published: PublicationTime | null
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly now: number
  /** The operator accepts exactly these bytes. */
  readonly accepted: boolean
}

export interface ActiveSnapshot {
  readonly row: SnapshotRow
  readonly read: ReadSnapshot
}

/** `actives` are the active snapshots of all sources. */
export function judgeImport(
  { adapter, input, parsed, published, retrievedAt, now, accepted }: Candidate,
  active: ActiveSnapshot | null,
  actives: readonly SnapshotRow[],
): readonly Finding[] {
  const reading = [...input.findings, ...parsed.findings]
  const options = { shrinkFloor: adapter.shrinkFloor, now }
  // A reading with a hard finding contains no parties, so there is nothing to compare, count or screen.
  const next = { ...parsed, timestamp: published?.at ?? parsed.timestamp }
  if (isRefused(reading)) return [...reading, ...guardAgainst(null, next, options)]
  const order = active && publicationOrder(active.row, { timestamp: parsed.timestamp, published })
  const compared =
    active && order
      ? [
          ...guardAgainst(
            previousOf(active.row, active.read.stored, order.before),
            { ...next, timestamp: order.after },
            options,
          ),
          ...retrievedEarlier(active.row, order, retrievedAt),
        ]
      : guardAgainst(null, next, options)
  return [
    ...reading,
    ...(active?.read.fault ? [soft("CORRUPT", `the active snapshot: ${active.read.fault}`)] : []),
    ...(accepted ? compared.map(asAccepted) : compared),
    ...mirrorFindings(parsed.mirrors, actives),
    ...missedCanaries(adapter, parsed.parties),
    ...notDistinctive(parsed.parties),
  ]
}

const NAMES_PRINTED = 5

/** Such a name stays on the list, and the operator sees how many there are: "LIMITED" as an alias is a slip of the publisher. */
export function notDistinctive(parties: readonly Party[]): Finding[] {
  const names = undistinctiveNames(parties)
  if (names.length === 0) return []
  const places = names.slice(0, NAMES_PRINTED).map(({ party }) => `line ${party.line.number}`)
  const more = names.length > NAMES_PRINTED ? ", ..." : ""
  const what = "hold only legal forms or stop words and are found only when the whole asked name is equal"
  return [soft("NAME_NOT_DISTINCTIVE", `${names.length} names ${what}: ${places.join(", ")}${more}`)]
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === "hard")
}

/** The counts of a snapshot with damaged bytes are still known, so a damaged disk does not switch the guards off. */
function previousOf(row: SnapshotRow, stored: StoredParties | null, timestamp: string | null): Previous {
  return {
    counts: JSON.parse(row.counts) as Counts,
    entryIds: new Set(stored?.parties.map(({ entryId }) => entryId)),
    timestamp,
  }
}

/** If no publication time is known, or both are equal, the retrieval time decides: old files must not replace a newer list. */
export function retrievedEarlier(
  row: Pick<SnapshotRow, "retrievedAt">,
  { before, after }: PublicationOrder,
  retrievedAt: number,
): Finding[] {
  const decided = after !== null && before !== null && instant(after) !== instant(before)
  if (decided || retrievedAt >= instant(row.retrievedAt)) return []
  return [
    hard(
      "OLDER_THAN_ACTIVE",
      `retrieved ${formatInstant(retrievedAt)}, the active snapshot ${row.retrievedAt}, and no publication time tells them apart`,
    ),
  ]
}

/** Makes a finding soft if the operator may accept it. Other findings do not change. */
export function asAccepted(finding: Finding): Finding {
  const { code, detail, file } = finding
  return ACCEPTABLE.has(code) ? soft(code, `${detail}; accepted by the operator`, file) : finding
}

/** The CSL repeats OFAC's lists. If the counts differ much, one of the two is incomplete, but the counts do not say which. */
function mirrorFindings(mirrors: readonly Mirror[], actives: readonly SnapshotRow[]): Finding[] {
  return mirrors.flatMap(({ sourceId, entryIds }) => {
    const row = actives.find((one) => one.sourceId === sourceId)
    const mirrored = new Set(entryIds).size
    if (!row || Math.abs(mirrored - row.entries) <= row.entries * MIRROR_SHARE_MAX) return []
    return [
      soft("COUNT_MISMATCH", `repeats ${mirrored} entries of ${sourceId}, of which this directory has ${row.entries}`),
    ]
  })
}

/**
 * Findings of damaged files. A damaged file also has unreadable rows, but it only proves an incomplete download, not a change of the
 * publisher's schema. The same holds for unsigned files where the operator requires a signature: unsigned files must not mark a source as
 * broken.
 */
const DAMAGE: ReadonlySet<string> = new Set([
  ...["TRUNCATED", "CORRUPT", "NOT_DATA", "MISSING_FILE", "TOO_LARGE"],
  ...["UNSIGNED", "SIGNATURE_INVALID"],
])

/**
 * Returns the publication that these bytes announce, if they are intact but cannot be read. Returns null if they announce none that is
 * newer than the active one. `published` is the time stated in the bytes, or null if only the file time is known.
 */
export function announcedBreak(
  findings: readonly Finding[],
  { timestamp }: Pick<Parsed, "timestamp">,
  { files }: { readonly files: readonly { readonly modifiedAt: number }[] },
  active: SnapshotRow | null,
): { readonly published: string | null } | null {
  const codes = new Set(findings.filter(({ severity }) => severity === "hard").map(({ code }) => code))
  if (!active || !codes.has("SCHEMA_BREAK") || [...codes].some((code) => DAMAGE.has(code))) return null
  if (timestamp !== null && active.sourceTimestamp !== null) {
    return instant(timestamp) > instant(active.sourceTimestamp) ? { published: timestamp } : null
  }
  const newest = Math.max(...files.map(({ modifiedAt }) => modifiedAt))
  return newest > instant(active.retrievedAt) ? { published: null } : null
}

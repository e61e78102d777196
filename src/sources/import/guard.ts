/**
 * Compares a new publication with the last good one. A list can be well-formed and still incomplete: an export that stopped early, or a
 * column that moved. The bands are those of OpenSanctions and of the project's sources design.
 */

import type { Counts, Finding, Parsed } from "../records/adapter.ts"
import { hard } from "../records/findings.ts"

export interface Previous {
  readonly counts: Counts
  readonly entryIds: ReadonlySet<string>
  readonly timestamp: string | null
}

export interface GuardOptions {
  /** The adapter's `shrinkFloor`. */
  readonly shrinkFloor: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

export const GROWTH_MAX = 1.5
export const REMOVED_SHARE_MAX = 0.03
export const FILL_RATE_FLOOR = 0.25
/** Smaller differences within one type prove nothing, because some types have three entries. */
export const TYPE_SLACK = 10
const FUTURE_MAX_MS = 24 * 60 * 60 * 1000

const TYPES = ["persons", "orgs", "vessels", "aircraft", "unknown"] as const
const FILLED = ["withBirthDate", "withCountry", "withProgram", "withIdentifier"] as const

/** All findings are hard. The operator may accept a SHRUNK one for exactly these bytes. `previous` is null for the first import. */
export function guardAgainst(
  previous: Previous | null,
  next: Pick<Parsed, "counts" | "parties" | "timestamp">,
  options: GuardOptions,
): Finding[] {
  const findings = futureFindings(next.timestamp, options.now)
  if (previous === null) return findings
  return [
    ...findings,
    ...olderFindings(previous.timestamp, next.timestamp),
    ...sizeFindings(previous.counts, next.counts, options.shrinkFloor),
    ...removalFindings(previous.entryIds, next.parties),
    ...fillFindings(previous.counts, next.counts),
  ]
}

/** Returns the entry ids of the last snapshot that are missing in the new one. */
export function removedIds(previous: ReadonlySet<string>, next: Parsed["parties"]): string[] {
  const present = new Set(next.map((party) => party.entryId))
  return [...previous].filter((id) => !present.has(id))
}

export function futureFindings(timestamp: string | null, now: number): Finding[] {
  if (timestamp === null || Date.parse(timestamp) <= now + FUTURE_MAX_MS) return []
  return [hard("SCHEMA_BREAK", `published ${timestamp}, more than 24 hours from now`)]
}

export function olderFindings(before: string | null, after: string | null): Finding[] {
  if (before === null || after === null || Date.parse(after) >= Date.parse(before)) return []
  return [hard("OLDER_THAN_ACTIVE", `published ${after}, the active snapshot ${before}`)]
}

function sizeFindings(before: Counts, after: Counts, floor: number): Finding[] {
  const findings: Finding[] = []
  const compare = (what: keyof Counts, slack: number) => {
    const was = before[what]
    const is = after[what]
    if (is < was * floor && was - is >= slack) findings.push(hard("SHRUNK", `${what}: ${was} before, ${is} now`))
    if (is > was * GROWTH_MAX && is - was >= TYPE_SLACK) {
      findings.push(hard("EXPLODED", `${what}: ${was} before, ${is} now`))
    }
  }
  compare("entries", 0)
  for (const type of TYPES) compare(type, TYPE_SLACK)
  return findings
}

function removalFindings(before: ReadonlySet<string>, next: Parsed["parties"]): Finding[] {
  const removed = removedIds(before, next).length
  if (removed <= before.size * REMOVED_SHARE_MAX) return []
  return [hard("SHRUNK", `${removed} of ${before.size} entries are gone`)]
}

function fillFindings(before: Counts, after: Counts): Finding[] {
  const share = (counts: Counts, what: keyof Counts) => (counts.entries === 0 ? 0 : counts[what] / counts.entries)
  return FILLED.filter(
    (what) => before[what] >= TYPE_SLACK && share(after, what) < share(before, what) * FILL_RATE_FLOOR,
  ).map((what) =>
    hard("FILL_RATE", `${what}: ${before[what]} of ${before.entries} before, ${after[what]} of ${after.entries} now`),
  )
}

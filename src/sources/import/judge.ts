/**
 * Decides whether a publication that was read may become the active snapshot. Every rule runs, and every finding is reported (rulings 53).
 * A kind of source is an ordered list of rules; the order is that of the findings in its reports.
 */
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { soft } from "../records/findings.ts"
import { type PublicationOrder, publicationOrder } from "./publication-order.ts"
import type { PublicationTime } from "./publication-time.ts"

/** A publication that was read. The members from `entries` on mean nothing if `isReadable` is false. */
export interface Candidate {
  /** Findings about the input: its signature, and differences between manifest and files. */
  readonly inputFindings: readonly Finding[]
  /** Findings of the parser. */
  readonly readingFindings: readonly Finding[]
  /** False if the files could not be read. Then there are no entries to count, compare or screen. */
  readonly isReadable: boolean
  /** Publication time that the files state, RFC 3339; or null. */
  readonly timestamp: string | null
  /** Null if the publication time is unknown or not judged. */
  readonly published: PublicationTime | null
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly now: number
  /** The operator accepts exactly these bytes. */
  readonly accepted: boolean
  /** A smaller share of the active snapshot's entries is rejected. */
  readonly shrinkFloor: number
  readonly entries: number
  /** The counts that the snapshot's row keeps. The next import compares with them. */
  readonly counts: Readonly<Record<string, number>>
}

/** The active snapshot. Its counts are in the row, so a damaged disk does not switch the guards off. */
export interface Active {
  readonly row: SnapshotRow
  /** Why its entries could not be read; null if they could. */
  readonly fault: string | null
  /** How many of its entries the candidate lacks, and of how many; null if they could not be counted. */
  readonly removed: { readonly count: number; readonly of: number } | null
}

export interface Compared extends Active {
  readonly order: PublicationOrder
}

/** `active` is null if there is no active snapshot, or nothing that could be compared with it. */
export type Rule<C extends Candidate = Candidate> = (candidate: C, active: Compared | null) => readonly Finding[]

export function judge<C extends Candidate>(
  rules: readonly Rule<C>[],
  candidate: C,
  active: Active | null,
): readonly Finding[] {
  const compared = active && candidate.isReadable ? { ...active, order: publicationOrder(active.row, candidate) } : null
  return rules.flatMap((rule) => rule(candidate, compared))
}

/** A rule about entries: it finds nothing if there are none. */
export function ofEntries<C extends Candidate>(find: (candidate: C) => readonly Finding[]): Rule<C> {
  return (candidate) => (candidate.isReadable ? find(candidate) : [])
}

/** A rule that compares with the active snapshot. The operator may accept what it finds for exactly these bytes. */
export function ofBoth(find: (candidate: Candidate, active: Compared) => readonly Finding[]): Rule {
  return (candidate, active) => {
    const findings = active ? find(candidate, active) : []
    return candidate.accepted ? findings.map(asAccepted) : findings
  }
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === "hard")
}

/**
 * Findings that an operator may accept for exactly these bytes. They report that a publication differs much from the active one, which alone
 * proves no fault. CHOICE: growth, emptier columns and an older publication are accepted the same way as a shrunk one, because the first
 * real list after a sample, and the return to an older file, have no other way in.
 */
const ACCEPTABLE: ReadonlySet<string> = new Set(["SHRUNK", "EXPLODED", "FILL_RATE", "OLDER_THAN_ACTIVE"])

function asAccepted(finding: Finding): Finding {
  const { code, detail, file } = finding
  return ACCEPTABLE.has(code) ? soft(code, `${detail}; accepted by the operator`, file) : finding
}

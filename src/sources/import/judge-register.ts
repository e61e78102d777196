/** Decides whether a parsed publication of a register may become the active one. All checks run, and every finding is reported. */
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { hard, soft } from "../records/findings.ts"
import type { RegisterAdapter, RegisterReading } from "../records/register-adapter.ts"
import { FILL_RATE_FLOOR, futureFindings, GROWTH_MAX, olderFindings, REMOVED_SHARE_MAX, TYPE_SLACK } from "./guard.ts"
import { asAccepted, isRefused, retrievedEarlier } from "./judge-import.ts"
import { publicationOrder } from "./publication-order.ts"
import type { PublicationTime } from "./publication-time.ts"
import type { Duplicates } from "./register-file.ts"

/** Counts below this share of the entries prove nothing: a register has few companies in receivership, and in some months none. */
const FEW_SHARE = 0.001

export interface RegisterCandidate {
  readonly adapter: Pick<RegisterAdapter, "shrinkFloor">
  readonly reading: RegisterReading
  /** Differences between manifest and files. */
  readonly inputFindings: readonly Finding[]
  readonly entries: number
  readonly duplicates: Duplicates
  /** Null if the publication time is unknown. */
  readonly published: PublicationTime | null
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly now: number
  /** The operator accepts exactly these bytes. */
  readonly accepted: boolean
}

export interface ActiveRegister {
  readonly row: SnapshotRow
  /** Number of its entries that the candidate lacks, or why they could not be counted. */
  readonly removed: { readonly count: number } | { readonly fault: string }
}

/** Returns the stored counts of a snapshot. The next import compares with them. */
export function countsKept({ rows, counts }: RegisterReading): Readonly<Record<string, number>> {
  return { rows, ...counts }
}

/** Findings from the files alone, before any comparison. If they reject the publication, the entries need no index. */
export function readingFindings({
  reading,
  inputFindings,
  entries,
  now,
}: Pick<RegisterCandidate, "reading" | "inputFindings" | "entries" | "now">): readonly Finding[] {
  const { declaredRecords, rows } = reading
  const told = isRefused([...inputFindings, ...reading.findings])
  return [
    ...inputFindings,
    ...reading.findings,
    ...(declaredRecords !== null && declaredRecords !== rows
      ? [hard("COUNT_MISMATCH", `${rows} records, the publisher states ${declaredRecords}`)]
      : []),
    ...(entries === 0 && !told ? [hard("TRUNCATED", "no entry could be read")] : []),
    ...futureFindings(reading.timestamp, now),
  ]
}

export function judgeRegister(candidate: RegisterCandidate, active: ActiveRegister | null): readonly Finding[] {
  const { reading, published, accepted, retrievedAt } = candidate
  const order = active && publicationOrder(active.row, { timestamp: reading.timestamp, published })
  const compared =
    active === null || order === null
      ? []
      : [
          ...olderFindings(order.before, order.after),
          ...retrievedEarlier(active.row, order, retrievedAt),
          ...sizeFindings(candidate, active),
          ...fillFindings(candidate, active.row),
        ]
  return [
    ...readingFindings(candidate),
    ...duplicateFindings(candidate.duplicates),
    ...(active && "fault" in active.removed ? [soft("CORRUPT", `the active snapshot: ${active.removed.fault}`)] : []),
    ...(accepted ? compared.map(asAccepted) : compared),
  ]
}

/** If two different entries share a key, either may be wrong. An answer with one of them would hide that. */
function duplicateFindings({ same, different }: Duplicates): Finding[] {
  return [
    ...(different > 0
      ? [hard("DUPLICATE_ID", `${different} keys repeat, with different entries or too many to compare`)]
      : []),
    ...(same > 0 ? [soft("DUPLICATE_ID", `${same} keys repeat with the same entry`)] : []),
  ]
}

function sizeFindings({ adapter, entries }: RegisterCandidate, { row, removed }: ActiveRegister): Finding[] {
  const was = row.entries
  const findings: Finding[] = []
  if (entries < was * adapter.shrinkFloor) findings.push(hard("SHRUNK", `entries: ${was} before, ${entries} now`))
  if (entries > was * GROWTH_MAX && entries - was >= TYPE_SLACK) {
    findings.push(hard("EXPLODED", `entries: ${was} before, ${entries} now`))
  }
  if ("count" in removed && removed.count > was * REMOVED_SHARE_MAX) {
    findings.push(hard("SHRUNK", `${removed.count} of ${was} entries are gone`))
  }
  return findings
}

/** Detects a count that nearly disappeared while the entries stayed: a column that moved or is empty. */
function fillFindings({ reading, entries }: RegisterCandidate, row: SnapshotRow): Finding[] {
  const before = JSON.parse(row.counts) as Readonly<Record<string, number>>
  const now = countsKept(reading)
  const few = Math.max(TYPE_SLACK, row.entries * FEW_SHARE)
  const share = (count: number, of: number) => (of === 0 ? 0 : count / of)
  return Object.entries(before).flatMap(([what, was]) => {
    const is = now[what] ?? 0
    if (was < few || share(is, entries) >= share(was, row.entries) * FILL_RATE_FLOOR) return []
    return [hard("FILL_RATE", `${what}: ${was} of ${row.entries} before, ${is} of ${entries} now`)]
  })
}

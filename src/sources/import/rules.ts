/**
 * The rules that lists and registers share. A publication can be well-formed and still incomplete: an export that stopped early, or a column
 * that moved. The bands are those of OpenSanctions and of the project's sources design.
 */
import { formatInstant, instant } from "../../core/time.ts"
import type { Finding } from "../records/adapter.ts"
import { hard, soft } from "../records/findings.ts"
import { type Candidate, type Compared, ofBoth, type Rule } from "./judge.ts"

const GROWTH_MAX = 1.5
const REMOVED_SHARE_MAX = 0.03
const FILL_RATE_FLOOR = 0.25
/** Smaller differences within one type prove nothing, because some types have three entries. */
const TYPE_SLACK = 10
const FUTURE_MAX_MS = 24 * 60 * 60 * 1000

/** What the input and the parser found themselves. */
export const told: Rule = ({ inputFindings, readingFindings }) => [...inputFindings, ...readingFindings]

/** `dated`: the publication time to judge, RFC 3339; null is never in the future. */
export function future(dated: (candidate: Candidate, active: Compared | null) => string | null): Rule {
  return (candidate, active) => {
    const time = dated(candidate, active)
    if (time === null || Date.parse(time) <= candidate.now + FUTURE_MAX_MS) return []
    return [hard("SCHEMA_BREAK", `published ${time}, more than 24 hours from now`)]
  }
}

export const activeIsDamaged: Rule = ofBoth((_, { fault }) =>
  fault === null ? [] : [soft("CORRUPT", `the active snapshot: ${fault}`)],
)

export const older: Rule = ofBoth((_, { order: { before, after } }) => {
  if (before === null || after === null || Date.parse(after) >= Date.parse(before)) return []
  return [hard("OLDER_THAN_ACTIVE", `published ${after}, the active snapshot ${before}`)]
})

/** If no publication time is known, or both are equal, the retrieval time decides: old files must not replace a newer list. */
export const retrievedEarlier: Rule = ofBoth(({ retrievedAt }, { row, order: { before, after } }) => {
  const decided = after !== null && before !== null && instant(after) !== instant(before)
  if (decided || retrievedAt >= instant(row.retrievedAt)) return []
  return [
    hard(
      "OLDER_THAN_ACTIVE",
      `retrieved ${formatInstant(retrievedAt)}, the active snapshot ${row.retrievedAt}, and no publication time tells them apart`,
    ),
  ]
})

/** Compares the number of entries, and each of the counts named `types` beyond {@link TYPE_SLACK}. */
export function size(types: readonly string[]): Rule {
  return ofBoth(({ entries, counts, shrinkFloor }, { row }) => {
    const before = countsOf(row)
    const findings: Finding[] = []
    const compare = (what: string, was: number, is: number, slack: number) => {
      if (is < was * shrinkFloor && was - is >= slack)
        findings.push(hard("SHRUNK", `${what}: ${was} before, ${is} now`))
      if (is > was * GROWTH_MAX && is - was >= TYPE_SLACK) {
        findings.push(hard("EXPLODED", `${what}: ${was} before, ${is} now`))
      }
    }
    compare("entries", row.entries, entries, 0)
    for (const type of types) {
      const [was, is] = [before[type], counts[type]]
      if (was !== undefined && is !== undefined) compare(type, was, is, TYPE_SLACK)
    }
    return findings
  })
}

/** Too many entries left, even if as many are new. */
export const removed: Rule = ofBoth((_, { removed: gone }) => {
  if (gone === null || gone.count <= gone.of * REMOVED_SHARE_MAX) return []
  return [hard("SHRUNK", `${gone.count} of ${gone.of} entries are gone`)]
})

interface FilledOptions {
  /** Names of the counts; null for every count of the active snapshot. */
  readonly counts: readonly string[] | null
  /** Counts below this share of the entries prove nothing, and never one below {@link TYPE_SLACK}. */
  readonly fewShare: number
}

/** Detects a count that nearly disappeared while the entries stayed: a column that moved or is empty. */
export function filled({ counts: names, fewShare }: FilledOptions): Rule {
  return ofBoth(({ entries, counts }, { row }) => {
    const before = countsOf(row)
    const few = Math.max(TYPE_SLACK, row.entries * fewShare)
    const share = (count: number, of: number) => (of === 0 ? 0 : count / of)
    return (names ?? Object.keys(before)).flatMap((what) => {
      const [was, is] = [before[what] ?? 0, counts[what] ?? 0]
      if (was < few || share(is, entries) >= share(was, row.entries) * FILL_RATE_FLOOR) return []
      return [hard("FILL_RATE", `${what}: ${was} of ${row.entries} before, ${is} of ${entries} now`)]
    })
  })
}

function countsOf({ counts }: Compared["row"]): Readonly<Record<string, number>> {
  return JSON.parse(counts) as Readonly<Record<string, number>>
}

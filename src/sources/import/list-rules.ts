/** The rules for a restricted-party list. */
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { ListTables } from "../boards/list-tables.ts"
import type { Finding, Mirror, Parsed, SourceAdapter } from "../records/adapter.ts"
import { soft } from "../records/findings.ts"
import type { Party } from "../records/party.ts"
import { undistinctiveNames } from "../screening/listed-names.ts"
import { missedCanaries } from "./canaries.ts"
import { type Candidate, isRefused, ofEntries, type Rule } from "./judge.ts"
import { activeIsDamaged, filled, future, older, removed, retrievedEarlier, size, told } from "./rules.ts"
import { type WordsCandidate, wordFindings } from "./word-rules.ts"

interface ListCandidate extends Candidate, WordsCandidate, Pick<SourceAdapter, "canaries"> {
  readonly parties: readonly Party[]
  readonly mirrors: readonly Mirror[]
  /** Returns the list as it will be screened. */
  readonly tables: () => ListTables
  /** The active snapshots of all sources. */
  readonly actives: readonly SnapshotRow[]
}

/** A mirrored list may lag by a few entries. Above this share one of the two lists is wrong. */
const MIRROR_SHARE_MAX = 0.02

/** The CSL repeats OFAC's lists. If the counts differ much, one of the two is incomplete, but the counts do not show which. */
const mirrored: Rule<ListCandidate> = ofEntries(({ mirrors, actives }) =>
  mirrors.flatMap(({ sourceId, entryIds }) => {
    const row = actives.find((one) => one.sourceId === sourceId)
    const count = new Set(entryIds).size
    if (!row || Math.abs(count - row.entries) <= row.entries * MIRROR_SHARE_MAX) return []
    return [
      soft("COUNT_MISMATCH", `repeats ${count} entries of ${sourceId}, of which this directory has ${row.entries}`),
    ]
  }),
)

const NAMES_PRINTED = 5

/** Such a name stays on the list, and the operator sees how many there are: "LIMITED" as an alias is a slip of the publisher. */
const distinctive: Rule<ListCandidate> = ofEntries(({ parties, tables }): Finding[] => {
  const names = undistinctiveNames(parties, tables().names)
  if (names.length === 0) return []
  const places = names.slice(0, NAMES_PRINTED).map(({ party }) => `line ${party.line.number}`)
  const more = names.length > NAMES_PRINTED ? ", ..." : ""
  const what = "hold only legal forms or stop words and are found only when the whole asked name is equal"
  return [soft("NAME_NOT_DISTINCTIVE", `${names.length} names ${what}: ${places.join(", ")}${more}`)]
})

export const LIST_RULES: readonly Rule<ListCandidate>[] = [
  told,
  activeIsDamaged,
  future(({ published, timestamp }, active) => (active ? active.order.after : (published?.at ?? timestamp))),
  older,
  size(["persons", "orgs", "vessels", "aircraft", "unknown"]),
  removed,
  filled({ counts: ["withBirthDate", "withCountry", "withProgram", "withIdentifier"], fewShare: 0 }),
  retrievedEarlier,
  mirrored,
  ofEntries<ListCandidate>(wordFindings),
  ofEntries(({ canaries, parties, tables }) => missedCanaries({ canaries }, parties, tables())),
  distinctive,
]

/** What a parsed list states of itself. */
export function listCandidate(
  { canaries, shrinkFloor, words: wordRules }: Pick<SourceAdapter, "canaries" | "shrinkFloor" | "words">,
  { findings, parties, mirrors, counts, words, timestamp }: Parsed,
  inputFindings: readonly Finding[],
) {
  return {
    ...{ inputFindings, readingFindings: findings, isReadable: !isRefused([...inputFindings, ...findings]) },
    ...{
      canaries,
      shrinkFloor,
      wordRules,
      parties,
      mirrors,
      words,
      timestamp,
      counts: { ...counts },
      entries: counts.entries,
    },
  }
}

/** Returns how many entries of the last snapshot the new one lacks. */
export function countRemovedParties(before: readonly Party[], next: readonly Party[]): { count: number; of: number } {
  const present = new Set(next.map(({ entryId }) => entryId))
  const ids = new Set(before.map(({ entryId }) => entryId))
  return { count: [...ids].filter((id) => !present.has(id)).length, of: ids.size }
}

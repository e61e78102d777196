/**
 * The customers that a change of the lists touches. A word's weight depends on all lists, so a change may move a customer's score for an entry
 * that did not change. So this code compares each customer with both lists, and returns exactly the difference of two full screenings.
 */
import { provableState } from "../../sources/boards/provable-state.ts"
import type { Party } from "../../sources/records/party.ts"
import { differingParties } from "../../sources/screening/list-changes.ts"
import { NameIndex } from "../../sources/screening/name-index.ts"
import type { NameRow } from "../../sources/screening/names-file.ts"
import { type ScreenHit, type ScreenQuery, type ScreenResult, screen } from "../../sources/screening/screen.ts"
import { judgeOf } from "../../sources/screening/suppress.ts"
import type { ListsBetween } from "./lists-between.ts"
import { queryOf } from "./screened-rows.ts"

export interface TouchedCustomer {
  readonly before: ScreenResult
  readonly after: ScreenResult
  /**
   * The added, changed and removed entries among the hits and near misses of both, each once, as `SOURCE ENTRY`. Empty if only the weight of a
   * word changed.
   */
  readonly entries: readonly string[]
}

type Differing = Pick<ListsBetween, "earlier" | "today" | "sources" | "suppressions" | "at" | "snapshotIds">

/**
 * Returns the function that compares one customer. Null for one whose state and hits are the same and whose near misses have no changed
 * entry.
 */
export function touchedBy(between: Differing, threshold: number): (row: NameRow) => TouchedCustomer | null {
  const { earlier, today, snapshotIds } = between
  const changed = changedEntries(earlier, today)
  const before = new NameIndex({ snapshotIds: {}, parties: earlier })
  const after = new NameIndex({ snapshotIds, parties: today })
  const screened = (index: NameIndex, query: ScreenQuery): ScreenResult => {
    const result = screen(index, query, judgeOf(between.suppressions, query, between.at))
    return { ...result, state: provableState(result.state, between.sources) }
  }
  return (row) => {
    const query = queryOf(row, threshold)
    const [was, is] = [screened(before, query), screened(after, query)]
    const entries = [...new Set([...entriesOf(was), ...entriesOf(is)])].filter((entry) => changed.has(entry)).sort()
    return entries.length === 0 && hitsOf(was) === hitsOf(is) ? null : { before: was, after: is, entries }
  }
}

function changedEntries(earlier: readonly Party[], today: readonly Party[]): ReadonlySet<string> {
  const differing = differingParties(earlier, today)
  const named = (parties: readonly Party[], numbers: ReadonlySet<number>) =>
    parties.filter((_, at) => numbers.has(at)).map(entryOf)
  return new Set([...named(earlier, differing.before), ...named(today, differing.after)])
}

function entriesOf({ hits, suppressedHits, nearMisses }: ScreenResult): readonly string[] {
  return [...hits, ...suppressedHits, ...nearMisses].map(entryOf)
}

/** What a person would judge anew: the state, and each hit with its tier. */
function hitsOf({ state, hits, suppressedHits }: ScreenResult): string {
  const tiers = (found: readonly ScreenHit[]) => found.map((hit) => `${entryOf(hit)} ${hit.tier}`).sort()
  return JSON.stringify([state, tiers(hits), tiers(suppressedHits)])
}

const entryOf = ({ sourceId, entryId }: Pick<ScreenHit, "sourceId" | "entryId">): string => `${sourceId} ${entryId}`

/**
 * The names that a query seeks: those that share enough of its weight. This is a rule of the score: another name has no score, however similar
 * its words are. The words of the query count from the one in the fewest names on, until those that are left could not lift a name to
 * the least score.
 */
import type { NameTables } from "../name-tables.ts"
import { SCORE, SEARCH } from "../parameters.ts"
import type { QueryWords } from "../query-words.ts"
import { placesByCost } from "./candidates.ts"
import { mayMisspell } from "./misspelled-word.ts"

/** Share of the query's weight that a name must match to reach a score, less a margin. */
export const shareOf = (score: number): number =>
  (score * SCORE.unmatchedQuery) / (1 - score + score * SCORE.unmatchedQuery) - SEARCH.neededMargin

interface Query {
  readonly tables: NameTables
  readonly words: QueryWords
  /** Number of words. */
  readonly count: number
}

/** Returns whether the query seeks a name. `share`: the least that it must match, see {@link shareOf}. `isCertain`: a misspelt word does not help. */
export function soughtBy(
  { tables, words: query, count }: Query,
  share: number,
  isCertain: boolean,
): (name: number) => boolean {
  let remaining = 0
  let needed = 0
  let least = 0
  /** Places of words for which the index may miss the similar listed word. */
  const uncertain: number[] = []
  for (let at = 0; at < count; at++) {
    remaining += query.weights[at]!
    // A short rare word may be a typo that the index does not relate to any listed word. Only the score can detect it.
    const { alikeCost } = query.expansions[at]!
    // The same applies to a word that resembles no listed word: it may have two typos.
    const certain = alikeCost > 0 && (query.lengths[at]! > SEARCH.shortWord || alikeCost > SEARCH.rareCost)
    least += share * query.leastWeightAt(at)
    if (certain) needed += share * query.leastWeightAt(at)
    else uncertain.push(at)
  }
  if (needed === 0) needed = share * SEARCH.allShortShare * remaining
  const order = placesByCost(count, (place) => query.expansions[place]!.cost)
  let places = 0
  for (; places < count && (places === 0 || remaining >= needed); places++) remaining -= query.weights[order[places]!]!
  const counted = order.slice(0, places)
  return (name) => {
    const shared = sharedWeight(tables, query, counted, name)
    if (shared === 0 || shared < needed - remaining) return false
    // Below this only an uncertain word that is misspelt gives a score.
    return shared >= least - remaining || (!isCertain && mayMisspell(tables, query, name, uncertain))
  }
}

/** The weight of the query's words at `places` that the name has, as far as they are similar. */
function sharedWeight(tables: NameTables, query: QueryWords, places: readonly number[], name: number): number {
  const listed = tables.words.subarray(tables.wordStart[name]!, tables.wordStart[name + 1]!)
  let shared = 0
  for (const place of places) {
    const { words, similarities } = query.expansions[place]!
    for (let k = 0; k < words.length; k++)
      if (listed.includes(words[k]!)) shared += similarities[k]! * query.weights[place]!
  }
  return shared
}

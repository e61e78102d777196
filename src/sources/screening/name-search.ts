import { Cache } from "../../core/cache.ts"
import type { PartyType } from "../records/party.ts"
import { type Contained, containedDetail, eachContained } from "./contained-name.ts"
import {
  JOINED_LENGTH_MIN,
  joinedHash,
  joinedTexts,
  listedForm,
  listedJoinedTexts,
  PARTY_TYPES,
  PERSON,
} from "./listed-names.ts"
import { mayMisspell } from "./misspelled-word.ts"
import type { NameClass, NameForm } from "./name-form.ts"
import { legalFormsDiffer } from "./name-multipliers.ts"
import type { NameTables } from "./name-tables.ts"
import { SCORE, SEARCH, TIERS } from "./parameters.ts"
import { NameScorer } from "./score.ts"
import type { Multiplier, ScoreDetail } from "./score-detail.ts"
import { WORD_LENGTH_MAX } from "./token-similarity.ts"
import { eachWhole, wholeDetail } from "./whole-name.ts"

/** The best listed name of one party for a query. */
export interface NameMatch {
  readonly party: number
  readonly name: number
  readonly score: number
  readonly form: NameForm
  /** The form's tokens, or the scored variant with two words joined or one word split. */
  readonly tokens: readonly string[]
  /** How it was found: word by word, as the same letters with other spaces, see whole-name.ts, or see contained-name.ts. */
  readonly found: "COMPARED" | "JOINED" | "WHOLE" | Contained
}

/** Share of the query weight that a name must match to reach the minimum score, less a margin. */
const NEEDED_SHARE =
  (TIERS.nearMissMin * SCORE.unmatchedQuery) / (1 - TIERS.nearMissMin + TIERS.nearMissMin * SCORE.unmatchedQuery) -
  SEARCH.neededMargin

type Split = readonly [string, string]
const CACHED_SPLITS_MAX = 65_536

interface Collected {
  /** Number of touched names in use. */
  readonly count: number
  /** A name below this cannot score. A name below `certainFloor` can score only if an uncertain word is misspelt. */
  readonly floor: number
  readonly certainFloor: number
  /** Positions of words for which the index may miss the similar listed word. */
  readonly uncertain: readonly number[]
}

/** Finds and scores listed names. Holds scratch arrays and a bounded word cache; results depend only on the tables. */
export class NameSearch {
  readonly #tables: NameTables
  readonly #scorer: NameScorer
  readonly #reached: Float64Array
  readonly #stamp: Uint32Array
  readonly #touched: Uint32Array
  readonly #splits = new Cache<string, Split | null>({ max: CACHED_SPLITS_MAX })
  #generation = 0

  constructor(tables: NameTables) {
    this.#tables = tables
    this.#scorer = new NameScorer(tables)
    this.#reached = new Float64Array(tables.names)
    this.#stamp = new Uint32Array(tables.names)
    this.#touched = new Uint32Array(tables.names)
  }

  /**
   * Returns the best name of every party at or above the near-miss score, over all forms of the query; unordered. `wholes` are the forms of
   * the whole query, which also find the listed names that are not distinctive.
   */
  find(forms: readonly NameForm[], wholes: readonly NameForm[] = []): NameMatch[] {
    const best = new Map<number, NameMatch>()
    for (const form of forms) {
      if (form.tokens.length === 0) continue
      for (const tokens of this.#variantsOf(form.tokens)) this.#findVariant(form, tokens, best)
      this.#findJoined(form, best)
      eachContained(this.#tables, form, (found) => this.#keepWhole(found.name, form, found, best))
    }
    for (const whole of wholes) this.#findWhole(whole, best)
    return [...best.values()]
  }

  /** Scores the match again and explains the score. */
  explain(match: NameMatch): ScoreDetail {
    const { name, party, found, form, tokens } = match
    if (found === "WHOLE") return { ...wholeDetail(form), multipliers: this.#partyMultipliers(name, form, 1) }
    this.#scorer.load(form, tokens)
    const person = this.#comparesAsPerson(party, form)
    const score = this.#scorer.score(name, person)
    const detail = typeof found === "object" ? containedDetail(this.#tables, found) : this.#scorer.detail(name, person)
    const multipliers =
      found === "COMPARED"
        ? [...detail.multipliers, ...this.#partyMultipliers(name, form, score)]
        : this.#wholeMultipliers(name, party, found, form)
    return { ...detail, multipliers }
  }

  #findVariant(form: NameForm, tokens: readonly string[], best: Map<number, NameMatch>): void {
    this.#scorer.load(form, tokens)
    const { count, floor, certainFloor, uncertain } = this.#collect(tokens)
    const touched = this.#touched
    const reached = this.#reached
    const scorer = this.#scorer
    const { party: partyOf, types } = this.#tables
    const asPersons = form.nameClass !== "org"
    for (let at = 0; at < count; at++) {
      const name = touched[at]!
      const shared = reached[name]!
      if (shared < floor || (shared < certainFloor && !mayMisspell(this.#tables, scorer.words, name, uncertain)))
        continue
      const party = partyOf[name]!
      let score = scorer.score(name, asPersons && types[party] === PERSON)
      if (score < TIERS.nearMissMin) continue
      for (const { factor } of this.#partyMultipliers(name, form, score)) score *= factor
      keepBest(best, { party, name, score, form, tokens, found: "COMPARED" })
    }
  }

  /**
   * Marks the names that share enough of the query. It reads the postings of the cheapest words first, and stops when the remaining words
   * could not lift an unseen name to the minimum score. So it never reads the postings of very common words.
   */
  #collect(tokens: readonly string[]): Collected {
    const { postingStart, postings } = this.#tables
    const { words: query } = this.#scorer
    const stamp = this.#stamp
    const reached = this.#reached
    const touched = this.#touched
    if (++this.#generation === 0xffff_ffff) {
      this.#stamp.fill(0)
      this.#generation = 1
    }
    let remaining = 0
    let needed = 0
    let least = 0
    const uncertain: number[] = []
    const order: number[] = []
    for (let at = 0; at < tokens.length; at++) {
      order.push(at)
      remaining += query.weights[at]!
      // A short rare word may be a typo that the index does not relate to any listed word. Only the score can detect it.
      const { cost } = query.expansions[at]!
      // The same applies to a word that resembles no listed word: it may have two typos.
      const certain = cost > 0 && (query.lengths[at]! > SEARCH.shortWord || cost > SEARCH.rareCost)
      least += NEEDED_SHARE * query.leastWeightAt(at)
      if (certain) needed += NEEDED_SHARE * query.leastWeightAt(at)
      else uncertain.push(at)
    }
    if (needed === 0) needed = NEEDED_SHARE * SEARCH.allShortShare * remaining
    order.sort((a, b) => query.expansions[a]!.cost - query.expansions[b]!.cost || a - b)
    const generation = this.#generation
    let count = 0
    for (let step = 0; step < order.length; step++) {
      if (step > 0 && remaining < needed) break
      const at = order[step]!
      const { words, similarities } = query.expansions[at]!
      for (let k = 0; k < words.length; k++) {
        const gain = similarities[k]! * query.weights[at]!
        const end = postingStart[words[k]! + 1]!
        for (let p = postingStart[words[k]!]!; p < end; p++) {
          const name = postings[p]!
          if (stamp[name] === generation) reached[name]! += gain
          else {
            stamp[name] = generation
            reached[name] = gain
            touched[count++] = name
          }
        }
      }
      remaining -= query.weights[at]!
    }
    return { count, floor: needed - remaining, certainFloor: least - remaining, uncertain }
  }

  #findJoined(form: NameForm, best: Map<number, NameMatch>): void {
    for (const text of joinedTexts(form))
      this.#tables.joined.each(joinedHash(text), (name) => {
        // The hash only proposes; compare the letters.
        if (this.#joinedTextsOf(name).includes(text)) this.#keepWhole(name, form, "JOINED", best)
      })
  }

  #findWhole(form: NameForm, best: Map<number, NameMatch>): void {
    eachWhole(this.#tables, form, (name) => {
      let score = 1
      for (const { factor } of this.#partyMultipliers(name, form, 1)) score *= factor
      keepBest(best, { party: this.#tables.party[name]!, name, score, form, tokens: form.words, found: "WHOLE" })
    })
  }

  /** For a name whose words all agree: only multipliers lower its score. */
  #keepWhole(name: number, form: NameForm, found: "JOINED" | Contained, best: Map<number, NameMatch>): void {
    const party = this.#tables.party[name]!
    let score = 1
    for (const { factor } of this.#wholeMultipliers(name, party, found, form)) score *= factor
    const tokens = found === "JOINED" ? form.tokens : found.words
    keepBest(best, { party, name, score, form, tokens, found })
  }

  #wholeMultipliers(name: number, party: number, found: "JOINED" | Contained, form: NameForm): readonly Multiplier[] {
    const way = found === "JOINED" ? JOINED : CONTAINED
    const differs = legalFormsDiffer(
      form.legalForms,
      this.#tables.legalForms[name]!,
      this.#comparesAsPerson(party, form),
    )
    return [way, ...(differs ? [FORM] : NONE), ...this.#partyMultipliers(name, form, 1)]
  }

  #joinedTextsOf(name: number): readonly string[] {
    const party = this.#tables.partyAt(this.#tables.party[name]!)
    const { text } = party.names[this.#tables.ordinal[name]!]!
    return listedJoinedTexts(party, text, listedForm(party, text))
  }

  /** Returns the words as written, then with two neighbours joined or one unknown word split, if the list contains the result. */
  #variantsOf(tokens: readonly string[]): (readonly string[])[] {
    const variants = [tokens]
    if (tokens.length > SEARCH.variantWordsMax) return variants
    const { vocabulary } = this.#tables
    for (let at = 0; at + 1 < tokens.length; at++) {
      const joined = tokens[at]! + tokens[at + 1]!
      if (joined.length >= JOINED_LENGTH_MIN && vocabulary.idOf(joined) !== undefined)
        variants.push([...tokens.slice(0, at), joined, ...tokens.slice(at + 2)])
    }
    for (const [at, word] of tokens.entries()) {
      if (word.length < 6 || word.length > WORD_LENGTH_MAX || vocabulary.namesWith(word) >= 3) continue
      const split = this.#splitOf(word)
      if (split !== null) variants.push([...tokens.slice(0, at), ...split, ...tokens.slice(at + 1)])
    }
    return variants.slice(0, SEARCH.variantsMax)
  }

  /** Returns the most likely split into two listed words: both frequent, neither very short. */
  #splitOf(word: string): Split | null {
    const known = this.#splits.get(word)
    if (known !== undefined) return known
    const split = this.#findSplit(word)
    this.#splits.set(word, split)
    return split
  }

  #findSplit(word: string): Split | null {
    const { vocabulary } = this.#tables
    let best: Split | null = null
    let most = 0
    for (let at = 2; at <= word.length - 2; at++) {
      const left = vocabulary.namesWith(word.slice(0, at))
      if (left === 0) continue
      const right = vocabulary.namesWith(word.slice(at))
      if (right === 0) continue
      const likelihood = Math.min(left, right) + 2 * Math.min(at, word.length - at)
      if (likelihood <= most) continue
      most = likelihood
      best = [word.slice(0, at), word.slice(at)]
    }
    return best
  }

  #comparesAsPerson(party: number, { nameClass }: NameForm): boolean {
    return this.#tables.types[party] === PERSON && nameClass !== "org"
  }

  /** `agreement` is the score of the names alone. A weak alias that is also misspelt carries little evidence. */
  #partyMultipliers(name: number, { nameClass }: NameForm, agreement: number): readonly Multiplier[] {
    const weak = this.#tables.weak[name] === 1
    const differs = typeDiffers(PARTY_TYPES[this.#tables.types[this.#tables.party[name]!]!]!, nameClass)
    if (weak) {
      const rule = agreement >= EXACT_AGREEMENT ? WEAK : WEAK_INEXACT
      return differs ? [rule, TYPE] : [rule]
    }
    return differs ? [TYPE] : NONE
  }
}

const JOINED = { rule: "WORDS_JOINED", factor: SCORE.joinedSimilarity } as const
const CONTAINED = { rule: "NAME_CONTAINED", factor: SCORE.containedName } as const
const FORM = { rule: "LEGAL_FORM_DIFFERS", factor: SCORE.legalFormDiffers } as const
const WEAK = { rule: "WEAK_ALIAS", factor: SCORE.weakAlias } as const
const WEAK_INEXACT = { rule: "WEAK_ALIAS", factor: SCORE.weakAliasInexact } as const
const EXACT_AGREEMENT = 0.999
const TYPE = { rule: "TYPE_DIFFERS", factor: SCORE.typeDiffers } as const
const NONE: readonly never[] = []

export function typeDiffers(listed: PartyType, queryClass: NameClass): boolean {
  return queryClass !== "unknown" && listed !== "unknown" && listed !== queryClass
}

function keepBest(best: Map<number, NameMatch>, match: NameMatch): void {
  if (match.score < TIERS.nearMissMin) return
  const known = best.get(match.party)
  if (known && (known.score > match.score || (known.score === match.score && known.name <= match.name))) return
  best.set(match.party, match)
}

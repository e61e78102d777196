import type { PartyType } from "../records/party.ts"
import { type Contained, containedDetail, eachContained } from "./contained-name.ts"
import { EVIDENCE, isEvident } from "./evidence.ts"
import { SameMeaning } from "./listed-meanings.ts"
import { joinedHash, joinedTexts, listedForm, listedJoinedTexts, PARTY_TYPES, PERSON } from "./listed-names.ts"
import type { NameClass, NameForm } from "./name-form.ts"
import { legalFormsDiffer } from "./name-multipliers.ts"
import type { NameTables } from "./name-tables.ts"
import { SCORE, TIERS } from "./parameters.ts"
import { NameScorer } from "./score.ts"
import type { Multiplier, ScoreDetail } from "./score-detail.ts"
import type { Scorer } from "./scorer.ts"
import { Candidates } from "./search/candidates.ts"
import { shareOf, soughtBy } from "./search/sought.ts"
import { eachWhole, wholeDetail } from "./whole-name.ts"
import { WordSpaces } from "./word-spaces.ts"

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
  /** The words that agree say too little, see evidence.ts. */
  readonly lacksEvidence: boolean
}

/** What the forms of a query are. */
interface QueriedForms {
  /** Forms of the whole query. */
  readonly wholes: readonly NameForm[]
  /** Forms of the whole query, read as payers write. */
  readonly added: readonly NameForm[]
  /** Of them, the one without the additions, such as a payment reference: its words are joined and split instead of those of the query. */
  readonly plain: NameForm | null
  readonly nameClass: NameClass
}

const NOTHING_MORE: QueriedForms = { wholes: [], added: [], plain: null, nameClass: "unknown" }

const NEEDED_SHARE = shareOf(TIERS.nearMissMin)
/** An added reading finds hits and no near misses: the near misses of the untouched name are enough. */
const ADDED_SHARE = shareOf(EVIDENCE.most)

/** Finds and scores listed names. Holds scratch arrays and a bounded word cache; results depend only on the tables. */
export class NameSearch {
  readonly #tables: NameTables
  readonly #weighsWords: boolean
  readonly #scorer: NameScorer
  readonly #candidates: Candidates
  readonly #spaces: WordSpaces
  #queried: QueriedForms = NOTHING_MORE

  constructor(tables: NameTables, { weighsWords }: Scorer) {
    this.#tables = tables
    this.#weighsWords = weighsWords
    this.#spaces = new WordSpaces(tables.vocabulary, weighsWords)
    this.#scorer = new NameScorer(tables, weighsWords ? new SameMeaning(tables.vocabulary) : null)
    this.#candidates = new Candidates(tables, this.#scorer)
  }

  /**
   * Returns the best name of every party at or above the near-miss score, over all forms of the query; unordered. `wholes` are the forms of
   * the whole query, which also find the listed names that are not distinctive.
   */
  find(forms: readonly NameForm[], queried: QueriedForms = NOTHING_MORE): NameMatch[] {
    const best = new Map<number, NameMatch>()
    const { wholes } = queried
    this.#queried = queried
    for (const form of forms) {
      if (form.tokens.length === 0) continue
      const isAdded = queried.added.includes(form)
      const isVaried = queried.plain === null ? !isAdded : form === queried.plain || !queried.wholes.includes(form)
      const variants = isVaried ? this.#spaces.variantsOf(form.tokens) : [form.tokens]
      for (const tokens of variants) this.#findVariant(form, tokens, isAdded, best)
      this.#findJoined(form, best)
      if (!isAdded) eachContained(this.#tables, form, (found) => this.#keepWhole(found.name, form, found, best))
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
    if (!match.lacksEvidence) return { ...detail, multipliers }
    return {
      ...detail,
      multipliers: [...multipliers, evidenceMultiplier(productOf(found === "COMPARED" ? score : 1, multipliers))],
    }
  }

  #findVariant(form: NameForm, tokens: readonly string[], isAdded: boolean, best: Map<number, NameMatch>): void {
    const scorer = this.#scorer
    scorer.load(form, tokens)
    const { party: partyOf, types } = this.#tables
    const { names } = this.#candidates
    const asPersons = form.nameClass !== "org"
    let isSought: ((name: number) => boolean) | null = null
    const count = this.#candidates.find()
    for (let at = 0; at < count; at++) {
      const name = names[at]!
      const party = partyOf[name]!
      const person = asPersons && types[party] === PERSON
      if (!scorer.bound.mayReach(name, person)) continue
      let score = scorer.score(name, person)
      if (score < TIERS.nearMissMin) continue
      const query = { tables: this.#tables, words: scorer.words, count: tokens.length }
      isSought ??= soughtBy(query, isAdded ? ADDED_SHARE : NEEDED_SHARE, isAdded)
      if (!isSought(name)) continue
      for (const { factor } of this.#partyMultipliers(name, form, score)) score *= factor
      this.#keep(best, { party, name, score, form, tokens, found: "COMPARED" })
    }
  }

  #findJoined(form: NameForm, best: Map<number, NameMatch>): void {
    for (const text of joinedTexts(form))
      this.#tables.joined.each(joinedHash(text), (name) => {
        if (isFoundBetter(best, this.#tables.party[name]!, SCORE.joinedSimilarity)) return
        // The hash only proposes; compare the letters.
        if (this.#joinedTextsOf(name).includes(text)) this.#keepWhole(name, form, "JOINED", best)
      })
  }

  #findWhole(form: NameForm, best: Map<number, NameMatch>): void {
    eachWhole(this.#tables, form, (name) => {
      let score = 1
      for (const { factor } of this.#partyMultipliers(name, form, 1)) score *= factor
      const party = this.#tables.party[name]!
      keepBest(best, { party, name, score, form, tokens: form.words, found: "WHOLE", lacksEvidence: false })
    })
  }

  /** For a name whose words all agree: only multipliers lower its score. */
  #keepWhole(name: number, form: NameForm, found: "JOINED" | Contained, best: Map<number, NameMatch>): void {
    const party = this.#tables.party[name]!
    let score = 1
    for (const { factor } of this.#wholeMultipliers(name, party, found, form)) score *= factor
    const tokens = found === "JOINED" ? form.tokens : found.words
    this.#keep(best, { party, name, score, form, tokens, found })
  }

  /** Lowers the score of a match without enough evidence. A person whom a person's name names is judged by the score alone. */
  #keep(best: Map<number, NameMatch>, match: Omit<NameMatch, "lacksEvidence">): void {
    const isChecked = this.#weighsWords && match.score > EVIDENCE.most && !this.#isPersonQueried(match.party)
    if (!isChecked || isWorse(best, match) || this.#isEvident(match)) keepBest(best, { ...match, lacksEvidence: false })
    else keepBest(best, { ...match, score: match.score * evidenceMultiplier(match.score).factor, lacksEvidence: true })
  }

  #isPersonQueried(party: number): boolean {
    return this.#tables.types[party] === PERSON && this.#queried.nameClass !== "org"
  }

  #isEvident({ name, party, score, found, form, tokens }: Omit<NameMatch, "lacksEvidence">): boolean {
    const isPart = !this.#queried.wholes.includes(form) && !this.#queried.added.includes(form)
    if (!isPart && found === "COMPARED" && score >= EXACT_AGREEMENT) return true
    const person = this.#comparesAsPerson(party, form)
    if (found === "JOINED") {
      this.#scorer.load(form, tokens)
      this.#scorer.score(name, person)
    }
    const detail = typeof found === "object" ? containedDetail(this.#tables, found) : this.#scorer.detail(name, person)
    return isEvident(detail, {
      isPart,
      isContained: typeof found === "object",
      isJoined: found === "JOINED",
      isWeak: this.#tables.weak[name] === 1,
      queryWords: form.words,
      allWords: this.#queried.wholes[0]?.words ?? form.words,
      listedWords: () => {
        const listed = this.#tables.partyAt(party)
        return listedForm(listed, listed.names[this.#tables.ordinal[name]!]!.text).words
      },
    })
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

const productOf = (score: number, multipliers: readonly Multiplier[]): number =>
  multipliers.reduce((product, { factor }) => product * factor, score)

/** Lowers a score to the highest one without evidence. */
const evidenceMultiplier = (score: number): Multiplier => ({
  rule: "LITTLE_EVIDENCE",
  factor: Math.round((EVIDENCE.most / score) * 10_000) / 10_000,
})

/** Returns whether the party has a match above `score`. Multipliers only lower a score. */
const isFoundBetter = (best: ReadonlyMap<number, NameMatch>, party: number, score: number): boolean =>
  (best.get(party)?.score ?? 0) > score

function isWorse(best: Map<number, NameMatch>, { party, name, score }: Omit<NameMatch, "lacksEvidence">): boolean {
  const known = best.get(party)
  return known !== undefined && (known.score > score || (known.score === score && known.name <= name))
}

function keepBest(best: Map<number, NameMatch>, match: NameMatch): void {
  if (match.score < TIERS.nearMissMin) return
  if (!isWorse(best, match)) best.set(match.party, match)
}

/**
 * Asks how much the words that agree say about which party it is. The score compares two names; it does not know that thousands of firms
 * are called Golden or Alliance. Here a word has as many bits as it is rare among all firms: n bits if one firm of 2^n carries it
 * (register-words.ts). The bits of the words that agree are the evidence. A hit with less evidence than its kind needs is a near miss.
 */
import { atFirstUse } from "../../core/at-first-use.ts"
import { COMPANY_WORDS, PARTICLES } from "./common-words.ts"
import { isLegalForm, isNearForm, ownFormLengthAt } from "./legal-forms.ts"
import { isTradeWord, meanTheSame } from "./same-meaning.ts"
import type { ScoreDetail, ScoredPair } from "./score-detail.ts"
import { DIGIT_END, tokenSimilarity, typoSimilarity } from "./token-similarity.ts"
import { PLACE_WORDS } from "./words/place-words.ts"
import { REGISTER_WORDS } from "./words/register-words.ts"

/** All in bits, except the score `most`. */
export const EVIDENCE = {
  /** The highest score of a hit without enough evidence: below every tolerance, so it stays visible as a near miss. */
  most: 0.74,
  /** A word that is in no row of the register. */
  rare: 15,
  /** Highest bits of a word that says where a firm works or what it does. */
  place: 3,
  trade: 6,
  digit: 4,
  threeLetters: 11,
  twoLetters: 6,
  oneLetter: 1,
  /** A word that differs in a letter agrees less than an equal one, and a short one agrees with many words. */
  slip: 4,
  slipInShort: 8,
  shortLetters: 4,
  /** Query words of at most this weight are left over without a meaning, such as a mistyped legal form. */
  leftOverWeight: 0.25,
} as const

/** The bits that each kind of finding needs. A name of the same words needs none. */
export const NEEDED = {
  /** Trade words are exchanged or abbreviated: `Karvolan Banque`. */
  exchanged: 8,
  /** Trade words are left out: `Karvolan` for `Karvolan Bank`. */
  leftOut: 12,
  /** As they are written, the names differ in mistyped letters alone. */
  slip: 1,
  /** Words are mistyped, and the legal form or the spelling of another word differs too. */
  slipElsewhere: 12,
  /** One of the names has words that the other lacks. */
  leftOver: 14,
  /** Only a part of the query was compared: `Pellworth Foods (Karvolan)`. */
  part: 13,
  /** The same, and the other words of the query say where the firm works: `Karvolan (Slovakia) Limited`. */
  placed: 11,
  /** The same, and the listed name has words that this part lacks. */
  partLeftOver: 18,
  /** The query contains the listed name. */
  contained: 14,
  /** The query or a part of it has the listed name as it is written, with its legal form: `Pellworth Supplies for Arizona S.A.` */
  stated: 1,
} as const

const registerBits = atFirstUse((): ReadonlyMap<string, number> => {
  const bits = new Map<string, number>()
  for (const [count, words] of Object.entries(REGISTER_WORDS))
    for (const word of words.split(" ")) bits.set(word, Number(count))
  return bits
})

/** Returns whether many firms carry the word. Such a word is written on purpose: it is no misspelling of another one. */
export const isOrdinaryWord = (word: string): boolean => registerBits().has(word)

/** Words of legal forms that no table of forms splits off: the Irish `designated activity company`, `one person company`. */
export const OTHER_FORMS: ReadonlySet<string> = new Set([
  "designated",
  "activity",
  "one",
  "person",
  "sole",
  "proprietorship",
  "sl",
  "spc",
  "sp",
  "gp",
])

function bitsOf(word: string): number {
  return isLegalForm(word) ? 0 : bitsOfName(word)
}

/** Of a word that is no legal form where it is written. */
function bitsOfName(word: string): number {
  if (word.charCodeAt(0) < DIGIT_END) return Math.min(EVIDENCE.rare, EVIDENCE.digit * word.length)
  if (PARTICLES.has(word) || OTHER_FORMS.has(word) || COMPANY_WORDS.has(word)) return 0
  const bits = registerBits().get(word) ?? EVIDENCE.rare
  const kind = PLACE_WORDS.has(word) ? EVIDENCE.place : isTradeWord(word) ? EVIDENCE.trade : EVIDENCE.rare
  return Math.min(
    bits,
    kind,
    [0, EVIDENCE.oneLetter, EVIDENCE.twoLetters, EVIDENCE.threeLetters][word.length] ?? EVIDENCE.rare,
  )
}

/** How a listed name was found, and the words of both names as they are written. */
interface Finding {
  /** Only a part of the query was compared. */
  readonly isPart: boolean
  readonly isContained: boolean
  /** Without spaces the names are equal. */
  readonly isJoined: boolean
  /** The publisher itself says that the listed name fits too many parties. */
  readonly isWeak: boolean
  readonly queryWords: readonly string[]
  /** Called only where the answer depends on it. */
  readonly listedWords: () => readonly string[]
  /** All words of the query, also where only a part of it was compared. */
  readonly allWords: readonly string[]
}

/** Returns whether the words that agree are enough evidence for a hit. */
export function isEvident(detail: ScoreDetail, finding: Finding): boolean {
  const bits = detail.pairs.reduce((sum, pair) => sum + pairBits(pair), 0) || writtenBits(finding)
  const kind = kindOf(detail, finding, bits)
  if (kind === null || bits >= NEEDED[kind]) return true
  return bits >= NEEDED.stated && (finding.isPart || finding.isContained) && statesName(finding)
}

/**
 * Evidence of a name whose words look like legal forms to the comparison: `Otkritie` is one letter away from one, and GLEIF's table has `SPP`.
 */
function writtenBits({ queryWords, listedWords }: Finding): number {
  const common = listedWords().filter((word) => queryWords.includes(word) && ownFormLengthAt([word], 0) === 0)
  return common.reduce((sum, word) => sum + bitsOfName(word), 0)
}

/**
 * Returns whether the listed name is in the query as it is written. One word is not enough: thousands of firms have `Quantum` in their
 * names, and hardly one has `Quantum S.A.` in it.
 */
function statesName({ isWeak, queryWords, listedWords }: Finding): boolean {
  if (isWeak) return false
  const listed = listedWords()
  const count = listed.length
  if (count < 2) return false
  // A person is listed as `SURNAME, Given` and written as `Given Surname`.
  const isAt = (from: number) =>
    listed.some((_, start) => listed.every((__, at) => queryWords[from + at] === listed[(start + at) % count]))
  return queryWords.some((_, from) => from + count <= queryWords.length && isAt(from))
}

/** Returns null for names of the same words. */
function kindOf(detail: ScoreDetail, finding: Finding, bits: number): keyof typeof NEEDED | null {
  const { pairs, queryLeftOver, listedLeftOver } = detail
  if (finding.isContained)
    return queryLeftOver.every((word) => COMPANY_WORDS.has(word) || isMistypedForm(word)) ? null : "contained"
  if (finding.isJoined) return finding.isPart ? "part" : null
  const queryRest = detail.queryLeftOverWeight <= EVIDENCE.leftOverWeight ? [] : queryLeftOver
  const left = [...queryRest, ...listedLeftOver.filter((word) => !finding.queryWords.includes(word))]
  const rest = left.filter((word) => !COMPANY_WORDS.has(word))
  if (rest.some(tells)) return finding.isPart ? "partLeftOver" : "leftOver"
  if (finding.isPart) return rest.length === 0 && isPlaced(finding) ? "placed" : "part"
  const differing = pairs.filter(({ query, listed }) => query !== listed)
  if (differing.length === 0 && rest.length === 0) return null
  if (differing.every(({ query, listed }) => meanTheSame(query, listed)))
    return rest.length > 0 ? "leftOut" : "exchanged"
  if (rest.some((word) => word.length > 1)) return "leftOver"
  if (bits >= NEEDED.slipElsewhere) return "slipElsewhere"
  return differInLetters(finding.queryWords, finding.listedWords()) ? "slip" : "slipElsewhere"
}

/** Returns whether the words beside the compared part are places and legal forms. */
function isPlaced({ allWords, queryWords }: Finding): boolean {
  const beside = allWords.filter((word) => !queryWords.includes(word))
  return beside.every((word) => PLACE_WORDS.has(word) || COMPANY_WORDS.has(word) || isLegalForm(word))
}

/** Returns whether the word says which party it is, and not what it does or where. */
const tells = (word: string): boolean =>
  bitsOf(word) > EVIDENCE.oneLetter && !isTradeWord(word) && !PLACE_WORDS.has(word)

const isMistypedForm = (word: string): boolean => isNearForm(word) && !isOrdinaryWord(word)

/** Returns whether each word of one name is a word of the other, but for mistyped letters. */
function differInLetters(query: readonly string[], listed: readonly string[]): boolean {
  if (query.length !== listed.length) return false
  const left = [...listed]
  const take = (isIt: (word: string) => boolean): boolean => {
    const at = left.findIndex(isIt)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }
  const others = query.filter((word) => !take((one) => one === word))
  return others.every((word) => take((one) => typoSimilarity(word, one, true) > 0 || tokenSimilarity(word, one) > 0))
}

/** Returns the evidence of one pair of words. */
function pairBits({ query, listed }: ScoredPair): number {
  if (query === listed) return bitsOf(listed)
  if (meanTheSame(query, listed)) return isShorter(query, listed) || isShorter(listed, query) ? bitsOf(listed) : 0
  if (isOrdinaryWord(query)) return 0
  const isShort = Math.min(query.length, listed.length) <= EVIDENCE.shortLetters
  return Math.max(1, bitsOf(listed) - (isShort ? EVIDENCE.slipInShort : EVIDENCE.slip))
}

/** Returns whether `short` abbreviates `long`: it has the first letter and others in their order. */
function isShorter(short: string, long: string): boolean {
  if (short[0] !== long[0] || short.length >= long.length) return false
  let at = 0
  for (const letter of long) if (letter === short[at]) at++
  return at === short.length
}

/**
 * The words of a publisher that its parser relies on: an agency, a program, a label, a delimiter. If a publisher writes such a word otherwise,
 * the file is still well-formed, and the parser reads it wrongly without a fault. So each rule is a row, its words are counted apart from the
 * parsing, and an import compares the counts with those of the snapshot before.
 */

export interface WordRule {
  /** Unique in its source, such as `ofac-agency`. */
  readonly id: string
  readonly kind: "AGENCY" | "PROGRAM" | "LABEL" | "DELIMITER" | "VALUE" | "MARK" | "IDENTIFIER"
  /** Where the word occurs, in the publisher's terms. */
  readonly where: string
  /** The words that the parser knows, as it compares them. For IDENTIFIER {@link USABLE}. */
  readonly words: readonly string[]
  /** What goes wrong without the word. */
  readonly without: string
  /** A word that occurred before does not occur. */
  readonly gone: "hard" | "soft"
  /** A whole first publication must have every word: without it a first import would be wrong. */
  readonly atFirst?: true
  /**
   * Another word occurs that the snapshot before does not have. For IDENTIFIER: many more cells without a usable identifier. Null: other words
   * are not counted.
   */
  readonly unknown: "hard" | "soft" | null
  /** True for an open vocabulary: a first publication has only new words, which prove nothing. */
  readonly isOpen?: true
}

/** The words of an IDENTIFIER rule: a cell with digits that gave an identifier, and one that gave none. */
export const USABLE = "usable"
export const UNREAD = "unread"

/** Counts by key, as the row of a snapshot keeps them. */
export type CountedWords = Readonly<Record<string, number>>

/** A publisher with more words in one column has moved its columns. */
const WORDS_MAX = 400
/** More of a word helps nobody, and a cell may hold anything. */
const WORD_LENGTH_MAX = 60
const START = "words."
const FURTHER = "(further words)"

/** The cells that were read for a rule. */
export const cellsKey = (rule: string): string => `${START}${rule}`
const wordKey = (rule: string, word: string): string => `${START}${rule}:${word}`

/** The words of a rule with their counts. */
export function wordsOf(counts: CountedWords, rule: string): ReadonlyMap<string, number> {
  const start = wordKey(rule, "")
  return new Map(
    Object.entries(counts).flatMap(([key, count]) => (key.startsWith(start) ? [[key.slice(start.length), count]] : [])),
  )
}

/** The part of a snapshot's counts that concerns words; null if its release counted none. */
export function countedWords(counts: Readonly<Record<string, number>>): CountedWords | null {
  const words = Object.entries(counts).filter(([key]) => key.startsWith(START))
  return words.length === 0 ? null : Object.fromEntries(words)
}

/** Counts the words of one publication while it is parsed. What it counts changes no party. */
export class WordCounts {
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #cells = new Map<string, number>()

  /** `rules`: those of the form of this publication. A rule that is not watched is not judged. */
  constructor(rules: readonly WordRule[]) {
    for (const { id } of rules) {
      this.#counts.set(id, new Map())
      this.#cells.set(id, 0)
    }
  }

  /** Counts one cell; an empty one is not counted. */
  add(rule: string, word: string): void {
    const words = this.#counts.get(rule)
    if (!words || word === "") return
    this.#cells.set(rule, (this.#cells.get(rule) ?? 0) + 1)
    const short = word.length > WORD_LENGTH_MAX ? word.slice(0, WORD_LENGTH_MAX) : word
    const key = words.has(short) || words.size < WORDS_MAX ? short : FURTHER
    words.set(key, (words.get(key) ?? 0) + 1)
  }

  /** Counts a cell with digits, and whether it gave a usable identifier. */
  addIdentifier(rule: string, cell: string, isUsable: boolean): void {
    if (/\d/.test(cell)) this.add(rule, isUsable ? USABLE : UNREAD)
  }

  counted(): CountedWords {
    const all: Record<string, number> = {}
    for (const [rule, words] of this.#counts) {
      all[cellsKey(rule)] = this.#cells.get(rule) ?? 0
      for (const [word, count] of words) all[wordKey(rule, word)] = count
    }
    return all
  }
}

/** For a reader of a part of a publication. */
export const NOT_COUNTED: WordCounts = new WordCounts([])

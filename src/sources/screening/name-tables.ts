/** The names of all lists in one set of typed arrays, which the index searches. */
import { HashPairs } from "./hash-pairs.ts"
import { type ListedNames, numberOf, requireNumbered } from "./listed-names.ts"
import { type PackedTexts, packTexts, TextTable, textAt } from "./packed-texts.ts"
import type { PartyAt } from "./party-list.ts"
import { Vocabulary, type VocabularyTables, vocabularyTables } from "./vocabulary.ts"

/** Same as {@link ListedNames}, numbered over all lists in order. Only typed arrays, so that a thread can transfer it. */
export interface MergedNames {
  readonly parties: number
  readonly names: number
  readonly types: Uint8Array
  readonly party: Uint32Array
  readonly ordinal: Uint16Array
  readonly weak: Uint8Array
  readonly legalForms: Uint8Array
  readonly numbers: Uint32Array
  readonly numberTexts: PackedTexts
  readonly wordStart: Uint32Array
  readonly words: Uint32Array
  readonly vocabulary: VocabularyTables
  /**
   * Word w occurs in names `postings[postingStart[w] .. postingStart[w+1])`, ascending. Not split by party type: a name of another type
   * still counts, at a lower score, so its postings must be read too. They are a quarter of all postings, and reading all takes a twelfth
   * of a query.
   */
  readonly postingStart: Uint32Array
  readonly postings: Uint32Array
  /** Sorted. */
  readonly joined: Float64Array
  /** Sorted. */
  readonly identifiers: Float64Array
  readonly identifierParty: Uint32Array
  readonly identifierOrdinal: Uint32Array
}

export interface NameTables
  extends Omit<MergedNames, "parties" | "numbers" | "numberTexts" | "vocabulary" | "joined" | "identifiers"> {
  readonly partyAt: PartyAt
  readonly numbersOf: (name: number) => string
  readonly vocabulary: Vocabulary
  /** Maps the hash of the joined words to names. */
  readonly joined: HashPairs
  /** Maps the hash of an identifier to its number. */
  readonly identifiers: HashPairs
}

/**
 * INVARIANT: depends only on the lists and their order, never on which of them was read again. Words are numbered by first appearance, so
 * an index with one changed list equals a full rebuild. Throws a RangeError above 2^20 names, distinct words or identifiers.
 */
export function mergeNames(lists: readonly ListedNames[]): MergedNames {
  const wordIds = new Map<string, number>()
  const numberIds = new Map<string, number>()
  const of = (part: NumberPart) => lists.map((list) => list[part])
  const words = lists.map((list) => renumbered(list.words, list.wordTexts, wordIds))
  const numbers = lists.map((list) => renumbered(list.numbers, list.numberTexts, numberIds))
  const partyStart = startsOf(lists.map(({ types }) => types.length))
  const nameStart = startsOf(lists.map(({ party }) => party.length))
  const identifierStart = startsOf(lists.map(({ identifierParty }) => identifierParty.length))
  const wordsStart = startsOf(lists.map((list) => list.words.length))
  const names = nameStart.at(-1)!
  requireNumbered(names, "names")
  requireNumbered(identifierStart.at(-1)!, "identifiers")
  // The last bound of a list is the first of the next, so only the final bound is kept.
  const bounds = lists.map((list) => list.wordStart.subarray(0, -1))
  const wordStart = joined(Uint32Array, [...bounds, [0]], wordsStart)
  const allWords = joined(Uint32Array, words)
  const parties = partyStart.at(-1)!
  const party = joined(Uint32Array, of("party"), partyStart)
  const nameWords = { wordStart, words: allWords, wordCount: wordIds.size }
  const inverted = invert(nameWords)
  const partiesPerWord = countFirst(party, nameWords)
  return {
    parties,
    names,
    types: joined(Uint8Array, of("types")),
    party,
    ordinal: joined(Uint16Array, of("ordinal")),
    weak: joined(Uint8Array, of("weak")),
    legalForms: joined(Uint8Array, of("legalForms")),
    numbers: joined(Uint32Array, numbers),
    numberTexts: packTexts([...numberIds.keys()]),
    wordStart,
    words: allWords,
    vocabulary: vocabularyTables([...wordIds.keys()], {
      ...{ names, namesPerWord: inverted.namesPerWord, parties, partiesPerWord },
    }),
    postingStart: inverted.postingStart,
    postings: inverted.postings,
    // The low digits of a pair hold its value, so an addition renumbers it.
    joined: joined(Float64Array, of("joined"), nameStart).sort(),
    identifiers: joined(Float64Array, of("identifiers"), identifierStart).sort(),
    identifierParty: joined(Uint32Array, of("identifierParty"), partyStart),
    identifierOrdinal: joined(Uint32Array, of("identifierOrdinal")),
  }
}

/** Takes constant time: it sorts, copies and decodes nothing. */
export function openTables(merged: MergedNames, partyAt: PartyAt): NameTables {
  const numberTexts = new TextTable(merged.numberTexts)
  return {
    ...merged,
    partyAt,
    numbersOf: (name) => numberTexts.at(merged.numbers[name]!),
    vocabulary: new Vocabulary(merged.vocabulary),
    joined: new HashPairs(merged.joined),
    identifiers: new HashPairs(merged.identifiers),
  }
}

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array
type NumberPart = Exclude<keyof ListedNames, "numberTexts" | "wordTexts">

/** Concatenates the parts; the numbers in part n are shifted by `shifts[n]`. */
function joined<T extends Numbers>(
  Type: new (length: number) => T,
  parts: readonly ArrayLike<number>[],
  shifts: readonly number[] = [],
): T {
  const all = new Type(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const [number, part] of parts.entries()) {
    const shift = shifts[number] ?? 0
    for (let k = 0; k < part.length; k++) all[at++] = part[k]! + shift
  }
  return all
}

/** Returns the start of each part in the whole, and the end of the whole. */
function startsOf(lengths: readonly number[]): number[] {
  const starts = [0]
  for (const length of lengths) starts.push(starts.at(-1)! + length)
  return starts
}

/** Adds every new text to `ids`. */
function renumbered(numbers: Uint32Array, texts: PackedTexts, ids: Map<string, number>): Uint32Array {
  const all = Uint32Array.from({ length: texts.starts.length - 1 }, (_, at) => numberOf(ids, textAt(texts, at)))
  return numbers.map((number) => all[number]!)
}

/** The words of every name: name n has `words[wordStart[n] .. wordStart[n+1])`. */
interface NameWords {
  readonly wordStart: Uint32Array
  readonly words: Uint32Array
  /** Number of distinct words. */
  readonly wordCount: number
}

function invert(nameWords: NameWords) {
  const { wordStart, wordCount } = nameWords
  const names = Uint32Array.from({ length: wordStart.length - 1 }, (_, name) => name)
  const namesPerWord = countFirst(names, nameWords)
  const postingStart = new Uint32Array(wordCount + 1)
  for (let word = 0; word < wordCount; word++) postingStart[word + 1] = postingStart[word]! + namesPerWord[word]!
  const next = postingStart.slice(0, wordCount)
  const postings = new Uint32Array(postingStart[wordCount]!)
  eachFirst(names, nameWords, (word, name) => {
    postings[next[word]!++] = name
  })
  return { namesPerWord, postingStart, postings }
}

/** Returns the number of holders of each word. */
function countFirst(holders: Uint32Array, nameWords: NameWords): Uint32Array {
  const counts = new Uint32Array(nameWords.wordCount)
  eachFirst(holders, nameWords, (word) => counts[word]!++)
  return counts
}

/**
 * Visits each word of each holder once, however often its names repeat it. Name n belongs to `holders[n]`; the names of one holder are
 * adjacent.
 */
function eachFirst(
  holders: Uint32Array,
  { wordStart, words, wordCount }: NameWords,
  visit: (word: number, name: number) => void,
): void {
  const last = new Int32Array(wordCount).fill(-1)
  for (let name = 0; name < holders.length; name++)
    for (let at = wordStart[name]!; at < wordStart[name + 1]!; at++) {
      const word = words[at]!
      if (last[word] === holders[name]) continue
      last[word] = holders[name]!
      visit(word, name)
    }
}

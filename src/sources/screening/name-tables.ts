import type { Party } from "../party.ts"
import { foldName } from "./fold.ts"
import { HashPairs, hash32, PAIR_VALUE_LIMIT, packPair } from "./hash-pairs.ts"
import { type NameClass, type NameForm, nameForm } from "./name-form.ts"
import { Vocabulary } from "./vocabulary.ts"

/** All listed names as parallel typed arrays: name n has words `words[wordStart[n] .. wordStart[n+1])`. */
export interface NameTables {
  readonly parties: readonly Party[]
  readonly names: number
  /** Position in `parties`. */
  readonly party: Uint32Array
  /** Position in that party's `names`. */
  readonly ordinal: Uint16Array
  readonly wordStart: Uint32Array
  readonly words: Uint32Array
  readonly numbers: readonly string[]
  readonly legalForms: Uint8Array
  readonly vocabulary: Vocabulary
  /** Word w stands in names `postings[postingStart[w] .. postingStart[w+1])`, ascending. */
  readonly postingStart: Uint32Array
  readonly postings: Uint32Array
  /** Hash of the joined words to names. */
  readonly joined: HashPairs
}

/** Joined words shorter than this would equal too many unlike names. */
export const JOINED_LENGTH_MIN = 5
const JOINED_SEED = 2166136261

export const joinedHash = (joined: string): number => hash32(joined, JOINED_SEED)

/** Throws a RangeError above 2^20 names or distinct words, or 65,536 names of one party. */
export function buildNameTables(parties: readonly Party[]): NameTables {
  const party: number[] = []
  const ordinal: number[] = []
  const wordStart = [0]
  const words: number[] = []
  const numbers: string[] = []
  const legalForms: number[] = []
  const joined: number[] = []
  const ids = new Map<string, number>()

  for (const [at, listed] of parties.entries()) {
    if (listed.names.length > 65_535) throw new RangeError(`entry ${listed.entryId} has ${listed.names.length} names`)

    for (const [nameAt, name] of listed.names.entries()) {
      const form = listedForm(listed, name.text)
      if (form.tokens.length === 0) continue
      for (const text of joinedTexts(form)) joined.push(packPair(joinedHash(text), party.length))
      party.push(at)
      ordinal.push(nameAt)
      numbers.push(form.numbers)
      legalForms.push(form.legalForms)
      for (const token of form.tokens) {
        const id = ids.get(token) ?? ids.size
        ids.set(token, id)
        words.push(id)
      }
      wordStart.push(words.length)
    }
  }
  if (party.length >= PAIR_VALUE_LIMIT) throw new RangeError(`${party.length} names are more than the index can number`)
  const inverted = invert(wordStart, words, ids.size)
  return {
    parties,
    names: party.length,
    party: Uint32Array.from(party),
    ordinal: Uint16Array.from(ordinal),
    wordStart: Uint32Array.from(wordStart),
    words: Uint32Array.from(words),
    numbers,
    legalForms: Uint8Array.from(legalForms),
    vocabulary: new Vocabulary(ids, inverted.namesPerWord, party.length),
    postingStart: inverted.postingStart,
    postings: inverted.postings,
    joined: new HashPairs(joined),
  }
}

/** How a listed name is read; a native-script name by its sound. */
export function listedForm(party: Party, name: string): NameForm {
  return nameForm(foldName(name).readings[0] ?? "", classOf(party))
}

/** The spellings without spaces under which a name is found, with and without its legal form. */
export function joinedTexts(form: NameForm): string[] {
  const texts = form.joined === form.letters ? [form.joined] : [form.joined, form.letters]
  return texts.filter((text) => text.length >= JOINED_LENGTH_MIN)
}

/** Ships and aircraft are named like firms; an entry whose type the publisher left open may be either. */
function classOf(party: Party): NameClass {
  return party.type === "person" || party.type === "unknown" ? party.type : "org"
}

function invert(wordStart: readonly number[], words: readonly number[], wordCount: number) {
  const names = wordStart.length - 1
  const namesPerWord = new Uint32Array(wordCount)
  const lastName = new Int32Array(wordCount).fill(-1)
  eachFirst(names, wordStart, words, lastName, (word) => namesPerWord[word]!++)
  const postingStart = new Uint32Array(wordCount + 1)
  for (let word = 0; word < wordCount; word++) postingStart[word + 1] = postingStart[word]! + namesPerWord[word]!
  const next = postingStart.slice(0, wordCount)
  const postings = new Uint32Array(postingStart[wordCount]!)
  lastName.fill(-1)
  eachFirst(names, wordStart, words, lastName, (word, name) => {
    postings[next[word]!++] = name
  })
  return { namesPerWord, postingStart, postings }
}

/** Visits each word of each name once, however often the name repeats it. */
function eachFirst(
  names: number,
  wordStart: readonly number[],
  words: readonly number[],
  lastName: Int32Array,
  visit: (word: number, name: number) => void,
): void {
  for (let name = 0; name < names; name++)
    for (let at = wordStart[name]!; at < wordStart[name + 1]!; at++) {
      const word = words[at]!
      if (lastName[word] === name) continue
      lastName[word] = name
      visit(word, name)
    }
}

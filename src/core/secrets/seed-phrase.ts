/** Seed phrases of wallets (BIP-39): 12, 15, 18, 21 or 24 words of one list whose last bits are a checksum. */
import { wordlist as czech } from "@scure/bip39/wordlists/czech"
import { wordlist as english } from "@scure/bip39/wordlists/english"
import { wordlist as french } from "@scure/bip39/wordlists/french"
import { wordlist as italian } from "@scure/bip39/wordlists/italian"
import { wordlist as japanese } from "@scure/bip39/wordlists/japanese"
import { wordlist as korean } from "@scure/bip39/wordlists/korean"
import { wordlist as portuguese } from "@scure/bip39/wordlists/portuguese"
import { wordlist as simplifiedChinese } from "@scure/bip39/wordlists/simplified-chinese"
import { wordlist as spanish } from "@scure/bip39/wordlists/spanish"
import { wordlist as traditionalChinese } from "@scure/bip39/wordlists/traditional-chinese"
import { atFirstUse } from "../at-first-use.ts"
import { sha256 } from "../sha256.ts"

const LISTS = [
  english,
  spanish,
  french,
  italian,
  portuguese,
  czech,
  japanese,
  korean,
  simplifiedChinese,
  traditionalChinese,
]
const LENGTHS = [12, 15, 18, 21, 24]
const SEED_WORDS_MIN = 12
const BITS = 11
/**
 * Most places of one text whose checksum is computed. In so many words of a list one phrase in sixteen is valid by chance, so a text that
 * passes none of them was made to take time.
 */
const PLACES_MAX = 256

/** The index of each word in each list, and every word of any list. */
const dictionary = atFirstUse(() => {
  const lists = LISTS.map((list): ReadonlyMap<string, number> => new Map(list.map((word, i) => [spelling(word), i])))
  return { lists, words: new Set(lists.flatMap((list) => [...list.keys()])) }
})

/** True if a phrase is in the text, with anything but letters between its words. */
export function hasSeedPhrase(text: string): boolean {
  const { lists, words } = dictionary()
  for (const run of runsOf(text, words)) {
    if (lists.some((list) => hasPhraseOf(list, run))) return true
  }
  return false
}

/** Texts of so many words in a row that every one is in some list. */
function runsOf(text: string, listed: ReadonlySet<string>): string[][] {
  const runs: string[][] = []
  let run: string[] = []
  for (const [written] of text.matchAll(WORD)) {
    const word = written.length > WORD_CHARACTERS_MAX ? "" : spelling(written)
    if (listed.has(word)) run.push(word)
    else {
      if (run.length >= SEED_WORDS_MIN) runs.push(run)
      run = []
    }
  }
  return run.length >= SEED_WORDS_MIN ? [...runs, run] : runs
}

/** No word of a list is as long, in whatever composition. */
const WORD_CHARACTERS_MAX = 24
const WORD = /\p{L}[\p{L}\p{M}]*/gu

/** One form for a word with capitals, accents written or left out, and either composition. */
function spelling(text: string): string {
  const small = text.toLowerCase()
  return /^[\0-\x7f]*$/.test(small) ? small : small.normalize("NFKD").replace(/[\u0300-\u036f]/g, "")
}

function hasPhraseOf(index: ReadonlyMap<string, number>, words: readonly string[]): boolean {
  let places = 0
  let start = 0
  for (let end = 0; end <= words.length; end++) {
    if (end < words.length && index.has(words[end] ?? "")) continue
    const run = words.slice(start, end).map((word) => index.get(word) ?? 0)
    start = end + 1
    for (let at = 0; at + SEED_WORDS_MIN <= run.length; at++) {
      if (++places > PLACES_MAX || LENGTHS.some((length) => isPhrase(run.slice(at, at + length), length))) return true
    }
  }
  return false
}

/** Each 33 bits of a phrase are 32 bits of entropy and one bit of checksum, which is at its end. One word alone, again and again, is none. */
function isPhrase(numbers: readonly number[], length: number): boolean {
  if (numbers.length !== length || numbers.every((number) => number === numbers[0])) return false
  const checksumBits = (length * BITS) / 33
  const bits = numbers.reduce((all, number) => (all << BigInt(BITS)) | BigInt(number), 0n)
  const entropy = Buffer.from((bits >> BigInt(checksumBits)).toString(16).padStart(checksumBits * 8, "0"), "hex")
  const expected = (sha256(entropy)[0] ?? 0) >> (8 - checksumBits)
  return Number(bits & ((1n << BigInt(checksumBits)) - 1n)) === expected
}

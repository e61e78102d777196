// Similarity of two folded words: a weighted Damerau-Levenshtein distance. Its costs allow for transliteration (vowel for vowel, `q` for
// `k`, doubled letters), within a budget that grows with the length. 1 is equal, 0 is "not the same word".

/** Maximum letters of a word in a comparison; longer words can only be equal. */
export const WORD_LENGTH_MAX = 39
/** Character codes below this are digits, because words contain only letters and digits. */
export const DIGIT_END = 58
const H = 104

/** Costs of changing one word into another; part of the parameter digest. */
export const SIMILARITY = {
  vowels: "aeiouy",
  /** Letters that transliterations exchange. A letter may be in several groups. */
  groups: ["ckqg", "vwfb", "szx", "dt", "jyi", "mn", "pb", "hx"],
  vowelForVowel: 0.4,
  /** A final vowel often marks the gender: Petrov is not Petrova. */
  finalVowel: 0.7,
  sameGroup: 0.5,
  firstLetter: 0.3,
  doubledLetter: 0.25,
  softGap: 0.45,
  gap: 0.95,
  swapInShort: 0.5,
  swap: 0.7,
  /** Maximum cost of a word pair by the length of the longer word: up to this many letters, this cost. */
  budgets: [
    [2, 0],
    [3, 0.5],
    [4, 1],
    [6, 1.2],
    [9, 1.7],
    [WORD_LENGTH_MAX, 2.3],
  ],
  /** Two or three letters with one difference, if everything else in the name agrees. */
  lastShortBonus: 0.06,
  typoAtStart: 0.1,
  twoTypos: 0.05,
} as const

const VOWEL = new Uint8Array(128)
for (const letter of SIMILARITY.vowels) VOWEL[letter.charCodeAt(0)] = 1

const GROUPS = new Uint8Array(128)
for (const [at, group] of SIMILARITY.groups.entries())
  for (const letter of group) GROUPS[letter.charCodeAt(0)]! |= 1 << at

const BUDGETS = Float64Array.from(
  { length: WORD_LENGTH_MAX + 1 },
  (_, length) => SIMILARITY.budgets.find(([upTo]) => length <= upTo)![1],
)

const row = () => new Float64Array(WORD_LENGTH_MAX + 1)
let beforeLast = row()
let last = row()
let current = row()

/** Words that start with a digit are never similar: `61398` is not a typo of `61399`. */
export const isNumeric = (word: string): boolean => word.charCodeAt(0) < DIGIT_END

export function tokenSimilarity(a: string, b: string): number {
  if (a === b) return 1
  const longer = Math.max(a.length, b.length)
  const shorter = Math.min(a.length, b.length)
  if (shorter < 2 || longer > WORD_LENGTH_MAX || longer - shorter > 4 || isNumeric(a) || isNumeric(b)) return 0
  const budget = BUDGETS[longer]!
  if (budget === 0) return 0
  const cost = distance(a, b, budget)
  return cost > budget ? 0 : 1 - cost / longer
}

function distance(a: string, b: string, budget: number): number {
  last[0] = 0
  for (let j = 1; j <= b.length; j++) last[j] = last[j - 1]! + gapCost(b, j - 1)
  for (let i = 1; i <= a.length; i++) {
    const letterA = a.charCodeAt(i - 1)
    const gapA = gapCost(a, i - 1)
    current[0] = last[0]! + gapA
    let best = current[0]
    for (let j = 1; j <= b.length; j++) {
      const letterB = b.charCodeAt(j - 1)
      let cost = last[j - 1]! + substitutionCost(letterA, letterB, i === a.length && j === b.length)
      if (i === 1 && j === 1 && letterA !== letterB) cost += SIMILARITY.firstLetter
      cost = Math.min(cost, last[j]! + gapA, current[j - 1]! + gapCost(b, j - 1))
      if (i > 1 && j > 1 && letterA === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === letterB)
        cost = Math.min(cost, beforeLast[j - 2]! + (b.length <= 4 ? SIMILARITY.swapInShort : SIMILARITY.swap))
      current[j] = cost
      if (cost < best) best = cost
    }
    if (best > budget) return best
    const reused = beforeLast
    beforeLast = last
    last = current
    current = reused
  }
  return last[b.length]!
}

function substitutionCost(a: number, b: number, final: boolean): number {
  if (a === b) return 0
  if (VOWEL[a] && VOWEL[b]) return final ? SIMILARITY.finalVowel : SIMILARITY.vowelForVowel
  return GROUPS[a]! & GROUPS[b]! ? SIMILARITY.sameGroup : 1
}

function gapCost(word: string, at: number): number {
  const letter = word.charCodeAt(at)
  if (at > 0 && word.charCodeAt(at - 1) === letter) return SIMILARITY.doubledLetter
  return VOWEL[letter] || letter === H ? SIMILARITY.softGap : SIMILARITY.gap
}

/**
 * One edit between short words, or two in words of seven or more letters. Used only for unpaired words of a name that another word already
 * found, so it may be more tolerant than `tokenSimilarity`.
 */
export function shortTypoSimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length)
  const shorter = Math.min(a.length, b.length)
  let prefix = 0
  while (prefix < shorter && a[prefix] === b[prefix]) prefix++
  let suffix = 0
  while (suffix < shorter - prefix && a[a.length - 1 - suffix] === b[b.length - 1 - suffix]) suffix++
  const restA = a.length - prefix - suffix
  const restB = b.length - prefix - suffix
  const swapped = restA === 2 && restB === 2 && a[prefix] === b[prefix + 1] && a[prefix + 1] === b[prefix]
  if ((restA <= 1 && restB <= 1) || swapped)
    return longer <= 2 ? 0.5 : 1 - 1 / longer - (prefix === 0 ? SIMILARITY.typoAtStart : 0)
  return longer >= 7 && restA <= 2 && restB <= 2 ? 1 - 2 / longer - SIMILARITY.twoTypos : 0
}

/** Most edits between two words of a comparison that is not weighted, and the most letters that only one of them then has. */
export const EDITS_MAX = 2
export const LETTERS_APART_MAX = 2 * EDITS_MAX

/** Returns the letters a to z of the word as a bit set. */
export function letterSet(word: string): number {
  let set = 0
  for (let at = 0; at < word.length; at++) set |= 1 << (word.charCodeAt(at) - 97)
  return set >>> 0
}

/** Counts the letters that only one of the two words has. Each edit adds at most two, so words above the limit cannot be similar. */
export function lettersApart(a: number, b: number): number {
  let bits = (a ^ b) >>> 0
  bits -= (bits >>> 1) & 0x5555_5555
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/**
 * Similarity of two unpaired words of names that another word already found: one edit in any word of two or more letters, two adjacent
 * edits in words of seven. `last`: neither name has another unpaired word. Then a single letter may be the rest of two, and two edits
 * anywhere in words of five letters count.
 */
export function typoSimilarity(a: string, b: string, last: boolean): number {
  const longer = Math.max(a.length, b.length)
  const difference = longer - Math.min(a.length, b.length)
  if (longer > WORD_LENGTH_MAX) return 0
  const lone = longer - difference === 1
  if (lone && (!last || longer > 2)) return 0
  const near = difference <= 1 ? shortTypoSimilarity(a, b) : 0
  if (!last) return near
  if (near > 0) return longer <= 3 ? near + SIMILARITY.lastShortBonus : near
  return longer >= 5 && difference <= 2 && edits(a, b) <= 2 ? 1 - 2 / longer - SIMILARITY.twoTypos : 0
}

/** Counts replaced, added, omitted or swapped letters; returns 3 for three or more. */
function edits(a: string, b: string): number {
  last[0] = 0
  for (let j = 1; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1)
    current[0] = i
    let best = i
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(last[j - 1]! + (letter === b.charCodeAt(j - 1) ? 0 : 1), last[j]! + 1, current[j - 1]! + 1)
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        cost = Math.min(cost, beforeLast[j - 2]! + 1)
      current[j] = cost
      if (cost < best) best = cost
    }
    if (best > 2) return 3
    const reused = beforeLast
    beforeLast = last
    last = current
    current = reused
  }
  return last[b.length]!
}

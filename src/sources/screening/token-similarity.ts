/**
 * How alike two folded words are: a weighted Damerau-Levenshtein distance whose costs know transliteration (vowels for
 * vowels, `q` for `k`, doubled letters) under a budget that grows with the length. 1 is equal, 0 is "not the same word".
 */

/** Letters of a word that can be compared with another; longer ones are only ever equal. */
export const WORD_LENGTH_MAX = 39
const DIGIT_END = 58
const H = 104

const VOWEL = new Uint8Array(128)
for (const letter of "aeiouy") VOWEL[letter.charCodeAt(0)] = 1

/** Letters that transliterations exchange; a letter may be in several groups. */
const GROUPS = new Uint8Array(128)
for (const [at, group] of ["ckqg", "vwfb", "szx", "dt", "jyi", "mn", "pb", "hx"].entries())
  for (const letter of group) GROUPS[letter.charCodeAt(0)]! |= 1 << at

const row = () => new Float64Array(WORD_LENGTH_MAX + 1)
let beforeLast = row()
let last = row()
let current = row()

/** Words that start with a digit are never alike: `61398` is not a typo of `61399`. */
export const isNumeric = (word: string): boolean => word.charCodeAt(0) < DIGIT_END

export function tokenSimilarity(a: string, b: string): number {
  if (a === b) return 1
  const longer = Math.max(a.length, b.length)
  const shorter = Math.min(a.length, b.length)
  if (shorter < 2 || longer > WORD_LENGTH_MAX || longer - shorter > 4 || isNumeric(a) || isNumeric(b)) return 0
  const budget = budgetFor(longer)
  if (budget === 0) return 0
  const cost = distance(a, b, budget)
  return cost > budget ? 0 : 1 - cost / longer
}

function budgetFor(length: number): number {
  if (length <= 2) return 0
  if (length === 3) return 0.5
  if (length === 4) return 1
  if (length <= 6) return 1.2
  return length <= 9 ? 1.7 : 2.3
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
      if (i === 1 && j === 1 && letterA !== letterB) cost += 0.3
      cost = Math.min(cost, last[j]! + gapA, current[j - 1]! + gapCost(b, j - 1))
      if (i > 1 && j > 1 && letterA === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === letterB)
        cost = Math.min(cost, beforeLast[j - 2]! + (b.length <= 4 ? 0.5 : 0.7))
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
  // A final vowel often carries the gender: Petrov is not Petrova.
  if (VOWEL[a] && VOWEL[b]) return final ? 0.7 : 0.4
  return GROUPS[a]! & GROUPS[b]! ? 0.5 : 1
}

function gapCost(word: string, at: number): number {
  const letter = word.charCodeAt(at)
  if (at > 0 && word.charCodeAt(at - 1) === letter) return 0.25
  return VOWEL[letter] || letter === H ? 0.45 : 0.95
}

/**
 * One edit between short words, or two in words of seven letters and more. Only asked for words left over in a name that
 * another word already found, so it may be kinder than `tokenSimilarity`.
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
  if ((restA <= 1 && restB <= 1) || swapped) return longer <= 2 ? 0.5 : 1 - 1 / longer - (prefix === 0 ? 0.1 : 0)
  return longer >= 7 && restA <= 2 && restB <= 2 ? 1 - 2 / longer - 0.05 : 0
}

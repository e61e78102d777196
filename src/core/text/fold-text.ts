import { Cache } from "../cache.ts"

/**
 * Returns the text as a reader sees it, so that a search in it cannot be evaded. Decomposes compatibility forms (full width, circled,
 * bold), removes accents and zero-width characters, converts digits of every script to ASCII and dashes to hyphens, and collapses white
 * space to one space. Use the result for searching only; do not store it.
 */
export function foldText(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, folded).replace(/ {2,}/g, " ")
}

/** True if folding would not change the text. */
export function isPlainText(text: string): boolean {
  return !/[^\x20-\x7e]| {2}/.test(text)
}

const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu

const known = new Cache<string, string>({ max: 4096 })

/** {@link fold} of one character. A text may have one character again and again. */
function folded(character: string): string {
  const found = known.get(character)
  if (found !== undefined) return found
  const plain = fold(character)
  known.set(character, plain)
  return plain
}

/**
 * A character that expands to several (`№`, `㉑`) is set off by spaces, so that it does not merge with its neighbours. It stays as it is if
 * none of them is ASCII, as of an Arabic ligature of eighteen letters.
 */
function fold(character: string): string {
  if (/^\p{Nd}$/u.test(character)) return asciiDigit(character)
  if (/^\s$/u.test(character) && character !== "\ufeff") return " "
  const plain = character.normalize("NFKD").replace(UNSEEN, "")
  if (plain.length > 1) return /[!-~]/.test(plain) ? ` ${plain} ` : character
  return /[\p{Pd}\u2212]/u.test(plain) ? "-" : plain
}

/** Each script has its ten digits in a row, from zero to nine. Several scripts may follow each other. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}

/**
 * Text as a reader sees it, so that what is looked for in it cannot be written around: compatibility forms (full width, circled, bold)
 * are taken apart, accents and characters without a width left out, digits of every script made ASCII, dashes made hyphens, and
 * each run of white space one space. What comes out is for looking at, never for keeping.
 */
export function foldText(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, folded).replace(/ {2,}/g, " ")
}

/** Whether folding would change anything. */
export function isPlainText(text: string): boolean {
  return !/[^\x20-\x7e]| {2}/.test(text)
}

const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu

/** One character. What becomes several (`№`, `㉑`) stands apart, so that it is not read together with what is beside it. */
function folded(character: string): string {
  if (/^\p{Nd}$/u.test(character)) return asciiDigit(character)
  if (/^\s$/u.test(character) && character !== "\ufeff") return " "
  const plain = character.normalize("NFKD").replace(UNSEEN, "")
  if (plain.length > 1) return ` ${plain} `
  return /[\p{Pd}\u2212]/u.test(plain) ? "-" : plain
}

/** Every script has its ten digits in a row, from nought to nine, and several scripts may follow each other. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}

import { COMPANY_WORDS, LETTER_SUBSTITUTES, ORDINALS, PARTICLES, SAME_WORD, TITLES } from "./common-words.ts"
import { ownFormLengthAt, takeLegalForms } from "./legal-forms.ts"
import { WORD_LENGTH_MAX } from "./token-similarity.ts"

/** How the words are read: titles belong to persons, legal forms and abbreviations to organisations. */
export type NameClass = "person" | "org" | "unknown"

/** The compared parts of one name. */
export interface NameForm {
  readonly nameClass: NameClass
  /** At most `WORDS_MAX`, in written order. */
  readonly tokens: readonly string[]
  /** All words as written, with legal forms, titles and abbreviations. */
  readonly words: readonly string[]
  readonly legalForms: number
  /** All words without spaces: `Banconacional` matches `Banco Nacional`. */
  readonly joined: string
  /** The letters and digits as written, without omission or expansion: `Karvolanltd`. */
  readonly letters: string
  /** The numbers in the name, sorted; `Unit 61398` and `Unit 61399` are different parties. */
  readonly numbers: string
  /** The query has numbers that this reading takes for a reference, so `numbers` lacks them. */
  readonly numbersRead: boolean
  /** The name has more than `WORDS_MAX` words; the rest was not compared. */
  readonly cut: boolean
  /** A word has more letters than can be compared. */
  readonly longWord: boolean
  /** Has a word of three or more characters that is not a legal form. Without one the name cannot be screened. */
  readonly screenable: boolean
  /** Has a word that is neither a legal form nor a stop word. `Limited` and `The Company` have none, and name nobody. */
  readonly distinctive: boolean
}

/** Maximum number of words that are compared. */
export const WORDS_MAX = 16

/**
 * Returns all readings of a queried text. Adjacent single letters are an acronym in a company's name and initials in a person's. Payers may
 * write `Aksyonov S.V.` for any payee type, so such a text is also read as a person's name. Four or more single letters may be initials or
 * a spelled-out word.
 */
export function nameForms(folded: string, nameClass: NameClass): NameForm[] {
  const forms = [nameForm(folded, nameClass)]
  if (!SINGLE_LETTER.test(folded)) return forms
  if (nameClass !== "person" && INITIALS.test(folded)) forms.push(nameForm(folded, "person"))
  const spelled = folded.replace(SPELLED_OUT, (letters) => letters.replace(/[^a-z]/g, ""))
  if (spelled !== folded) forms.push(nameForm(spelled, "person"))
  return forms
}

/** A name without one of these has no initials. */
const SINGLE_LETTER = /\b[a-z]\b|\./
/** Initials, except the degrees `M.D.` and `Ph.D.`. */
const INITIALS = /\b(?!(?:m|ph)\.d\b)(?:[a-z](?:\. | )[a-z]|[a-z]{1,2}\.[a-z]{1,2})\b/
const SPELLED_OUT = /\b[a-z](?:[ .-]{1,2}[a-z]\b){3,}/g

/** Returns the reading of a listed name. `folded` is a reading of `foldName` or a part of it. */
export function nameForm(folded: string, nameClass: NameClass): NameForm {
  const written = once(wordsOf(folded, nameClass))
  let words = written
  let legalForms = 0
  let onlyLegalForms = false
  if (nameClass !== "person" && words.length > 0) {
    const rest = takeLegalForms(words)
    onlyLegalForms = rest.tokens.length === 0
    // A single word is the name, even if it looks like a form, and carries no class.
    if (words.length > 1) legalForms = rest.bits
    if (words.length > 1 && !onlyLegalForms) words = rest.tokens
  }
  if (nameClass !== "org" && words.length > 2) {
    const untitled = words.filter((word) => !TITLES.has(word))
    if (untitled.length >= 2) words = untitled
  }
  if (nameClass !== "person") words = words.map((word) => SAME_WORD.get(word) ?? word)
  const tokens = words.slice(0, WORDS_MAX)
  return {
    nameClass,
    tokens,
    words: written,
    legalForms,
    joined: tokens.join(""),
    letters: folded.replace(/[^a-z0-9]+/g, ""),
    numbers: numbersOf(tokens),
    numbersRead: false,
    cut: words.length > WORDS_MAX,
    longWord: tokens.some((token) => token.length > WORD_LENGTH_MAX),
    screenable: !onlyLegalForms && tokens.some((token) => token.length >= 3),
    distinctive: isDistinctive(written, nameClass),
  }
}

/**
 * CHOICE: stop words are the words of spelled-out legal forms, in a company's name also particles (`the`, `of`). A person may be called
 * `Ben` or `Le Van`. Words count as they are written: `Otkritie` is one letter away from a legal form and is a name.
 */
function isDistinctive(words: readonly string[], nameClass: NameClass): boolean {
  for (let at = 0; at < words.length; ) {
    const length = nameClass === "person" ? 0 : ownFormLengthAt(words, at)
    const isStopWord = COMPANY_WORDS.has(words[at]!) || (nameClass === "org" && PARTICLES.has(words[at]!))
    if (length === 0 && !isStopWord) return true
    at += Math.max(1, length)
  }
  return false
}

/** Reduces a name of two or more words that is written twice to that name. A single word twice may be a person's name (`Ali Ali`). */
function once(words: readonly string[]): readonly string[] {
  const half = words.length / 2
  const doubled =
    half >= 2 && Number.isInteger(half) && words.every((word, at) => word === words[(at + half) % words.length])
  return doubled ? words.slice(0, half) : words
}

function numbersOf(tokens: readonly string[]): string {
  const numbers: string[] = []
  for (const token of tokens) if (/\d/.test(token)) numbers.push(token.replace(/\D/g, ""))
  return numbers.sort().join(",")
}

/** Dotted letters in a person's name are initials, except the degrees `M.D.` and `Ph.D.`. */
function withInitials(text: string): string {
  return text.replace(/\b(m|ph)\.(?=d\b)/g, "$1")
}

/** In any other name `S.A.` and `U.S.` are one word each, also with an extra letter (`S.UA.`). `Co.KG` stays two words. */
function withAcronyms(text: string): string {
  return text.replace(/\b([a-z])\.(?=[a-z]{1,2}\b)|(?<=\b[a-z]{2})\.(?=[a-z]\b)/g, "$1")
}

/** Fast path: most names are written exactly as they are compared. */
const PLAIN_WORDS = /^[a-z]+(?: [a-z]+)*$/

function plainWords(folded: string, isPerson: boolean): string {
  if (PLAIN_WORDS.test(folded)) return folded
  const text = folded
    .replace(/['`]/g, "")
    .replace(/(?<=[a-z])[013459$@!](?=[a-z])/g, (sign) => LETTER_SUBSTITUTES[sign] ?? sign)
    .replace(/&/g, " and ")
    .replace(/\+/g, " plus ")
  return (isPerson ? withInitials(text) : withAcronyms(text)).replace(/[^a-z0-9]+/g, " ").trim()
}

function wordsOf(folded: string, nameClass: NameClass): readonly string[] {
  const isPerson = nameClass === "person"
  let text = plainWords(folded, isPerson)
  if (/\d/.test(text))
    text = text.replace(/\b(\d+)(?:st|nd|rd|th)\b/g, (whole, digits) => ORDINALS[Number(digits)] || whole)
  // Spaced single letters are one word in a company's name; in a person's name they are initials.
  if (!isPerson) text = text.replace(/\b[a-z](?: [a-z]\b){2,}/g, (letters) => letters.replaceAll(" ", ""))
  if (!isPerson && /\bu ?[sk]/.test(text))
    text = text.replace(/\b(?:usa|u s a|us|u s)\b/g, "united states").replace(/\b(?:uk|u k)\b/g, "united kingdom")
  return text === "" ? [] : text.split(" ")
}

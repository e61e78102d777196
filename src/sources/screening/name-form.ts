import { LETTER_SUBSTITUTES, ORDINALS, SAME_WORD, TITLES } from "./common-words.ts"
import { takeLegalForms } from "./legal-forms.ts"
import { WORD_LENGTH_MAX } from "./token-similarity.ts"

/** How the words are read: titles belong to persons, legal forms and abbreviations to organisations. */
export type NameClass = "person" | "org" | "unknown"

/** What is compared of one name. */
export interface NameForm {
  readonly nameClass: NameClass
  /** At most `WORDS_MAX`, in the order written. */
  readonly tokens: readonly string[]
  /** The words as written, with legal forms, titles and abbreviations, all of them. */
  readonly words: readonly string[]
  readonly legalForms: number
  /** All words without spaces: finds `Banco Nacional` written `Banconacional`. */
  readonly joined: string
  /** The letters and digits as written, nothing dropped or expanded: `Karvolanltd`. */
  readonly letters: string
  /** The numbers in the name, sorted; `Unit 61398` and `Unit 61399` are different parties. */
  readonly numbers: string
  /** More words than `WORDS_MAX`: the rest was not compared. */
  readonly cut: boolean
  /** A word of more letters than can be compared. */
  readonly longWord: boolean
  /** Has a word of three characters or more that is not a legal form: enough to be screened at all. */
  readonly screenable: boolean
}

/** Words of a name that are compared. */
export const WORDS_MAX = 16

/**
 * All readings of a text that is asked about. Single letters in a row are an acronym in a firm's name and initials in a person's, and people
 * are paid as `Aksyonov S.V.` whatever the payer calls them; so such a text is read as a person's name too. Four single letters in a row and
 * more may be initials or a word spelled out.
 */
export function nameForms(folded: string, nameClass: NameClass): NameForm[] {
  const forms = [nameForm(folded, nameClass)]
  if (!SINGLE_LETTER.test(folded)) return forms
  if (nameClass !== "person" && INITIALS.test(folded)) forms.push(nameForm(folded, "person"))
  const spelled = folded.replace(SPELLED_OUT, (letters) => letters.replace(/[^a-z]/g, ""))
  if (spelled !== folded) forms.push(nameForm(spelled, "person"))
  return forms
}

/** Without one of these there are no initials. */
const SINGLE_LETTER = /\b[a-z]\b|\./
/** But for the degrees `M.D.` and `Ph.D.`. */
const INITIALS = /\b(?!(?:m|ph)\.d\b)(?:[a-z](?:\. | )[a-z]|[a-z]{1,2}\.[a-z]{1,2})\b/
const SPELLED_OUT = /\b[a-z](?:[ .-]{1,2}[a-z]\b){3,}/g

/** The one reading of a listed name. `folded` is a reading of `foldName` or a part of it. */
export function nameForm(folded: string, nameClass: NameClass): NameForm {
  const written = once(wordsOf(folded, nameClass))
  let words = written
  let legalForms = 0
  let onlyLegalForms = false
  if (nameClass !== "person" && words.length > 0) {
    const rest = takeLegalForms(words)
    onlyLegalForms = rest.tokens.length === 0
    // One word alone is the name, whatever it looks like; it carries no class.
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
    cut: words.length > WORDS_MAX,
    longWord: tokens.some((token) => token.length > WORD_LENGTH_MAX),
    screenable: !onlyLegalForms && tokens.some((token) => token.length >= 3),
  }
}

/** A name of two words and more written twice over is that name; one word twice may be a person's (`Ali Ali`). */
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

/** Dotted letters of a person's name are initials, but for the degrees `M.D.` and `Ph.D.`. */
function withInitials(text: string): string {
  return text.replace(/\b(m|ph)\.(?=d\b)/g, "$1")
}

/** `S.A.` and `U.S.` are one word each in any other name, also with a letter too many (`S.UA.`); `Co.KG` stays two. */
function withAcronyms(text: string): string {
  return text.replace(/\b([a-z])\.(?=[a-z]{1,2}\b)|(?<=\b[a-z]{2})\.(?=[a-z]\b)/g, "$1")
}

/** Most names: nothing in them is written otherwise than it is compared. */
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
  // Spaced-out letters are one word in a firm's name; in a person's they are initials.
  if (!isPerson) text = text.replace(/\b[a-z](?: [a-z]\b){2,}/g, (letters) => letters.replaceAll(" ", ""))
  if (!isPerson && /\bu ?[sk]/.test(text))
    text = text.replace(/\b(?:usa|u s a|us|u s)\b/g, "united states").replace(/\b(?:uk|u k)\b/g, "united kingdom")
  return text === "" ? [] : text.split(" ")
}

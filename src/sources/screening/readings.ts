/**
 * Reads a queried name as payers write it: with a payment reference, a title, a ship's prefix, a place. Each row removes or rewrites one
 * such addition. The rest is one more reading of the name. The search compares the name as it is written too, and the highest score counts. So a
 * reading can find a listed party and never hides one.
 */
import { Cache } from "../../core/cache.ts"
import { COMPANY_WORDS } from "./common-words.ts"
import { isOrdinaryWord } from "./evidence.ts"
import { isLegalForm } from "./legal-forms.ts"
import type { NameClass } from "./name-form.ts"
import { letterSet, lettersApart, typoSimilarity } from "./token-similarity.ts"
import { PLACE_WORDS } from "./words/place-words.ts"
import { TITLE_WORDS } from "./words/title-words.ts"

/** Most readings that are added to one name. */
export const ADDED_READINGS_MAX = 6

interface ReadingRow {
  readonly rule: string
  /** What is read, in the field's own source. */
  readonly source: string
  readonly classes: readonly NameClass[]
  readonly read: (text: string, nameClass: NameClass) => string
}

const ANY = ["person", "org", "unknown"] as const
const NOT_PERSON = ["org", "unknown"] as const
const NOT_ORG = ["person", "unknown"] as const

const REFERENCE =
  "(?:(?:payment|pymt|pmt|our|your|customer|cust)\\s+)?(?:ref(?:erence)?|invoices?|inv|bill|order|ord|purchase order|po|p\\.o|a\\/c|acc(?:oun)?t?|contract|agreement|re|nr|no|id|iban|policy|file|case|voucher|receipt|proforma|pi|lc|l\\/c)\\b"
const NUMBER = "[ .:#/-]*(?:no|nr|num|number)?[ .:#/-]*(?:[a-z]{0,4}-?)\\d[\\d/.-]*[a-z]?"
const REFERENCE_BEHIND = new RegExp(`[\\s,;:/(\\[#-]+(?:${REFERENCE}${NUMBER}|#?\\d{5,}|#\\d+)[\\s)\\].]*$`)
const REFERENCE_BEFORE = new RegExp(`^\\s*${REFERENCE}${NUMBER}\\s*[/:,;-]*\\s+(?=[a-z])`)
const PURPOSE_BEFORE =
  /^\s*(?:(?:payment|pymt|pmt|transfer|remittance|remit|wire(?: transfer)?|funds|deposit)\s+(?:to|for|of|from)|pay(?: to)?(?: the order of)?|(?:beneficiary|payee|bnf|recipient|vendor|supplier|in favou?r of|favou?ring|attn|attention|to)(?: name)?\s*:|beneficiary|payee|in favou?r of|favou?ring)\s*:?\s+/
const FAMILY_BEHIND =
  /[\s,]*(?:&|\+|\band\b|\bund\b|\bet\b|\by\b)\s*(?:the\s+|his\s+|her\s+)?(?:family|familie|famille|familia|sons?|daughters?|wife|husband|spouse|brothers?|bros|sisters?|children|fils|hijos|soehne|hermanos)\b[\s.]*$/
const BORN_BEHIND =
  /[\s,;(*-]*(?:(?:b|born|dob|d\.o\.b|geb|geboren|nacido|year of birth|yob|birth)\b[\s.:]*(?:(?:in|on)\s+)?)?(?:(?:[0-3]?\d[ ./-])?(?:[01]?\d|[a-z]{3,9})[ ./-])?(?:19|20)\d\d[\s)]*$/
const VESSEL_BEFORE =
  /^\s*(?:(?:m[./ ]{0,2}[vty]|s[./ ]{0,2}[sy]|f[./ ]{0,2}v|t[./ ]{0,2}t)\.?|the (?:vessel|ship|tanker)|(?:motor|merchant|steam|sailing|fishing)[ -]?(?:vessel|ship|tanker|yacht)|vessel|tanker|ship|yacht)[\s:"']+(?=[a-z])/

const IMO = /\bimo\W{0,3}(?:(?:no|nr|number)\W{0,3})?(\d{7})\b/

/** Removes all that `pattern` matches again and again: `INVOICE 12 / REF 34 KARVOLAN`. */
function without(text: string, pattern: RegExp): string {
  let rest = text
  for (let times = 0; times < 3; times++) {
    const shorter = rest.replace(pattern, "")
    if (shorter === rest) break
    rest = shorter
  }
  return rest
}

function withoutTitles(text: string): string {
  const words = text.trim().split(/\s+/)
  let from = 0
  while (from < words.length - 2 && TITLE_WORDS.has(words[from]!.replace(/[^a-z]/g, ""))) from++
  return words.slice(from).join(" ")
}

/** At most four words of places at the end. What is left of a person's name has two words: `West` and `Santiago` are family names. */
function withoutPlace(text: string, nameClass: NameClass): string {
  const least = nameClass === "person" ? 2 : 1
  const words = text.trim().split(/\s+/)
  let end = words.length
  const isPlace = (word: string) => PLACE_WORDS.has(word.replace(/[^a-z]/g, "")) || word === "-"
  while (end > least && words.length - end < 4 && isPlace(words[end - 1]!)) end--
  const left = words
    .slice(0, end)
    .join(" ")
    .replace(/[\s,(-]+$/, "")
  return /\b(?:of|the|for|in|and|al|de)$/.test(left) ? text : left
}

/** Corrects long words of spelled-out legal forms: the rest of a mistyped form would look like a part of the name. */
const withForms = (text: string): string => text.replace(/[a-z]{4,}/g, (word) => mistypedFormOf(word) ?? word)

const FORM_WORDS = [...COMPANY_WORDS]
  .filter((word) => word.length >= 5)
  .map((word) => ({ word, letters: letterSet(word) }))

const CACHED_WORDS_MAX = 65_536
const mistypedForms = new Cache<string, string | null>({ max: CACHED_WORDS_MAX })

/** Returns the word of a spelled-out legal form that this word misspells, or null. */
function mistypedFormOf(word: string): string | null {
  const known = mistypedForms.get(word)
  if (known !== undefined) return known
  const letters = letterSet(word)
  const isForm = word.length < 4 || COMPANY_WORDS.has(word) || isOrdinaryWord(word) || isLegalForm(word)
  const near = isForm
    ? undefined
    : FORM_WORDS.find((form) => lettersApart(form.letters, letters) <= 4 && typoSimilarity(word, form.word, true) > 0)
  mistypedForms.set(word, near?.word ?? null)
  return near?.word ?? null
}

/** Source and test of each rule; applied in this order, one after the other. */
const READING_ROWS: readonly ReadingRow[] = [
  {
    ...{ rule: "IMO", source: "the ship identification number of IMO resolution A.1117(30)", classes: NOT_PERSON },
    read: (text) => text.replace(IMO, " ").replace(/[\s,;(]+$/, ""),
  },
  {
    ...{ rule: "PURPOSE", source: "field 70 of SWIFT MT103, remittance information", classes: ANY },
    read: (text) => without(without(text, PURPOSE_BEFORE), REFERENCE_BEFORE),
  },
  {
    ...{ rule: "REFERENCE", source: "ISO 20022 document types, such as CINV and PUOR, in words", classes: ANY },
    read: (text) => without(text, REFERENCE_BEHIND),
  },
  {
    ...{ rule: "VESSEL_PREFIX", source: "ship prefixes in the vessel names of OFAC's list", classes: NOT_PERSON },
    read: (text) => text.replace(VESSEL_BEFORE, ""),
  },
  {
    ...{ rule: "FAMILY", source: "names of joint accounts", classes: ANY },
    read: (text) => text.replace(FAMILY_BEHIND, ""),
  },
  {
    ...{ rule: "BIRTH", source: "the remarks of OFAC's list: DOB", classes: NOT_ORG },
    read: (text) => text.replace(BORN_BEHIND, ""),
  },
  {
    ...{ rule: "LEGAL_FORM", source: "the spelled-out forms of legal-forms.ts", classes: NOT_PERSON },
    read: withForms,
  },
  { ...{ rule: "TITLE", source: "title-words.ts", classes: NOT_ORG }, read: withoutTitles },
  { ...{ rule: "PLACE", source: "place-words.ts", classes: ANY }, read: withoutPlace },
]

const ROMAN = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"]
const ROMAN_END = /(?<=[a-z.] |-)(i|ii|iii|iv|v|vi|vii|viii|ix|x|xi|xii)(?=\W*$)/
const ARABIC_END = /(?<=[a-z.] |-)(1[0-2]|[1-9])(?=\W*$)/

const ABD = /\babd(?:[aeou]|ou)?[ -]?(?:(?:[aeu]?[lrsztdn]|[aeu]l)[ -]|l[ -]?)?[ -]?(?=[a-z]{3})/

/** Other spellings of the same name; each row returns those that differ. */
const SPELLING_ROWS: readonly {
  readonly rule: string
  readonly source: string
  readonly spell: (text: string) => string[]
}[] = [
  {
    ...{ rule: "NUMERAL", source: "numerals of ships and funds" },
    spell: (text) => [
      text.replace(ROMAN_END, (roman) => String(ROMAN.indexOf(roman))),
      text.replace(ARABIC_END, (arabic) => ROMAN[Number(arabic)]!),
    ],
  },
  {
    ...{ rule: "ABD", source: "Arabic names of God behind `servant of`, as the lists write them" },
    spell: (text) => ["abd al ", "abdul "].map((abd) => text.replace(ABD, abd)),
  },
]

const words = (text: string): readonly string[] => text.split(" ")

/** First words of a name that begin what some row reads. */
export const FIRST_SIGNALS: ReadonlySet<string> = new Set([
  ...TITLE_WORDS,
  ...words(
    "payment pymt pmt transfer remittance remit wire funds deposit pay beneficiary payee recipient vendor supplier in favour",
  ),
  ...words(
    "favor favouring favoring to attn attention mv mt my ss sy fv tt the vessel tanker ship yacht motor merchant steam sailing fishing",
  ),
])
/** Last words of a name that end what some row reads. */
export const LAST_SIGNALS: ReadonlySet<string> = new Set([
  ...[...PLACE_WORDS, ...ROMAN],
  ...words(
    "family familie famille familia son sons daughter daughters wife husband spouse brother brothers bros sister sisters",
  ),
  ...words("child children fils hijos soehne hermanos"),
])
const OTHER_SIGNALS = /[0-9&+:#/]|\b[msft]\.|abd/

/** Most names: no row would read anything in them. */
function hasOneReading(text: string, nameClass: NameClass): boolean {
  if (OTHER_SIGNALS.test(text)) return false
  const all = text.split(/[^a-z]+/).filter((word) => word !== "")
  if (FIRST_SIGNALS.has(all[0] ?? "") || LAST_SIGNALS.has(all.at(-1) ?? "")) return false
  return nameClass === "person" || all.every((word) => mistypedFormOf(word) === null)
}

const rowsFor = (nameClass: NameClass) => READING_ROWS.filter(({ classes }) => classes.includes(nameClass))
const ROWS: Readonly<Record<NameClass, readonly ReadingRow[]>> = {
  ...{ person: rowsFor("person"), org: rowsFor("org"), unknown: rowsFor("unknown") },
}

interface AddedReadings {
  /** Without all that the rows take away; null if they take nothing away. */
  readonly plain: string | null
  /** The plain reading first, at most `ADDED_READINGS_MAX`. */
  readonly texts: readonly string[]
}

const NONE: AddedReadings = { plain: null, texts: [] }

/** Returns the readings that are added to a folded text of the whole name. */
export function addedReadings(text: string, nameClass: NameClass): AddedReadings {
  if (hasOneReading(text, nameClass)) return NONE
  const plain = ROWS[nameClass].reduce((rest, { read }) => readable(read(rest, nameClass), rest), text).trim()
  const added = new Set<string>([plain])
  for (const { spell } of SPELLING_ROWS) for (const other of spell(plain)) added.add(other)
  added.delete(text)
  return { plain: added.has(plain) ? plain : null, texts: [...added].slice(0, ADDED_READINGS_MAX) }
}

/** A reading must leave a word; otherwise the row does not apply. */
const readable = (reading: string, text: string): string =>
  /[a-z]{3}/.test(reading.replace(/[^a-z]/g, "")) ? reading : text

/** Name and source of each row, in the order in which they are read. */
export const READING_RULES: readonly { readonly rule: string; readonly source: string }[] = [
  ...READING_ROWS,
  ...SPELLING_ROWS,
].map(({ rule, source }) => ({ rule, source }))

/** The patterns of the rows, for the parameter digest. */
export const READING_PATTERNS: readonly string[] = [
  ...[REFERENCE_BEHIND, REFERENCE_BEFORE, PURPOSE_BEFORE, FAMILY_BEHIND, BORN_BEHIND, VESSEL_BEFORE],
  ...[ROMAN_END, ARABIC_END, ABD, IMO, OTHER_SIGNALS],
].map(({ source }) => source)

/** Returns the IMO number that the text states; null without one, or if its check digit is wrong (IMO resolution A.1117(30)). */
export function imoNumberIn(text: string): string | null {
  const digits = IMO.exec(text)?.[1]
  if (digits === undefined) return null
  const sum = [...digits.slice(0, 6)].reduce((total, digit, at) => total + Number(digit) * (7 - at), 0)
  return sum % 10 === Number(digits[6]) ? digits : null
}

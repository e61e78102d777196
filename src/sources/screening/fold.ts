/**
 * Converts a name as written to plain lower-case ASCII readings, and reports if it could not read all of it. INVARIANT: an unknown
 * character is reported, never silently dropped, because a dropped letter is a missed match.
 */
import { DIGITS, LATIN_LETTERS, LATIN_LOOK_ALIKES, LETTER_SIGNS, TRANSLITERATION } from "./letter-tables.ts"
import { WORD_LENGTH_MAX } from "./token-similarity.ts"

/** Why a name must not be CLEAR although nothing matched. */
export type NameProblem =
  | "TOO_LONG"
  | "TOO_MANY_WORDS"
  | "TOO_MANY_PARTS"
  | "UNREADABLE_CHARACTER"
  | "MIXED_SCRIPT_WORD"
  | "SCRIPT_WITHOUT_TABLE"
  | "SCRIPT_UNSUPPORTED"
  | "DIRECTION_OVERRIDE"

interface FoldedName {
  /** ASCII texts with punctuation, at most `READINGS_MAX`; the most likely one first. */
  readonly readings: readonly string[]
  readonly problems: readonly NameProblem[]
}

/** Maximum Unicode code points that are read. OFAC's own name field has the same size (`SDN_Name(350)`). */
export const NAME_LENGTH_MAX = 350

/** Maximum readings of one name that are screened; limits the work that an attacker's input can cause. */
export const READINGS_MAX = 8

const PLAIN = /^[\x20-\x7e]*$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu
const LETTERS = /^[\p{L}\p{M}]/u
const RUNS = /[\p{L}\p{M}]+|[^\p{L}\p{M}]+/gu
const SCRIPTS = {
  latin: /\p{Script=Latin}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  greek: /\p{Script=Greek}/u,
  arabic: /\p{Script=Arabic}/u,
  hebrew: /\p{Script=Hebrew}/u,
} as const

/**
 * CHOICE: a name with an Arabic or Hebrew letter is read and reported. Both scripts omit vowels. How well the Arabic table finds names was
 * never measured; the Hebrew table found two of nine listed parties.
 */
const WITHOUT_VOWELS = /(?=\p{L})[\p{Script_Extensions=Arabic}\p{Script=Hebrew}]/u

export function foldName(raw: string): FoldedName {
  const problems = new Set<NameProblem>()
  const name = decoded(cutToLimit(raw, problems))
  // A question mark before the end of a name marks a letter that an earlier system lost. A star within a word hides one.
  if (/[?*#~^]/.test(name) && /\?+[^?]|[\p{L}.][*#~^]|[*#~^][\p{L}.]/u.test(name)) problems.add("UNREADABLE_CHARACTER")
  if (PLAIN.test(name)) return { readings: plainReadings(name), problems: [...problems] }

  // An override displays the letters in another order than stored: the reader saw another name than the stored one.
  if (/[\u202d\u202e]/.test(name)) problems.add("DIRECTION_OVERRIDE")
  const text = name.replace(/[™℠®©]/g, " ").normalize("NFKC")
  if (WITHOUT_VOWELS.test(text)) problems.add("SCRIPT_UNSUPPORTED")
  const readings = new Set<string>()
  // An invisible character may mean nothing or may replace a missing space, so read both.
  for (const variant of new Set([text.replace(IGNORABLE, ""), text.replace(IGNORABLE, " ")]))
    for (const reading of readingsOf(variant, problems)) {
      readings.add(reading)
      for (const signs of signReadings(reading)) readings.add(signs)
    }
  if (readings.size > READINGS_MAX) problems.add("TOO_MANY_PARTS")
  return { readings: [...readings].slice(0, READINGS_MAX), problems: [...problems] }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", apos: "'", quot: '"', lt: "<", gt: ">", nbsp: " " }

/** Decodes character references and percent escapes, as a browser shows them. An escape that does not decode to valid text stays. */
function decoded(name: string): string {
  if (!/[&%]/.test(name)) return name
  return name
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, word) => {
      if (word !== undefined) return ENTITIES[word.toLowerCase()] ?? whole
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return point > 0x1f && point <= 0x10ffff ? String.fromCodePoint(point) : whole
    })
    .replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      const text = Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8")
      return text.includes("\ufffd") ? escapes : text
    })
}

/** `KarvoIan` with a capital i and `lRAN` with a small L look like other words. Such capitals are read both ways. */
function plainReadings(name: string): string[] {
  const readings = new Set([name.toLowerCase()])
  if (/[a-z]\.?I|\bI(?:Ic|lc|td|imited)\b/.test(name))
    readings.add(
      name
        .replace(/(?<=[a-z]\.?)I|I(?=[a-z])/g, "l")
        .replace(/\bII(?=[a-z])/g, "ll")
        .toLowerCase(),
    )
  if (/[A-Z]l[A-Z]|\bl[A-Z]{2}/.test(name))
    readings.add(name.replace(/(?<=[A-Z])l(?=[A-Z])|\bl(?=[A-Z]{2})/g, "I").toLowerCase())
  for (const reading of signReadings(name.toLowerCase())) readings.add(reading)
  return [...readings]
}

/** Reads digits and signs that replace letters as letters, in all words of the name: `1` is an i or an l. */
function signReadings(name: string): string[] {
  const readings: string[] = []
  if (!/[*#~^0-9$@!|(]/.test(name)) return readings
  if (HIDDEN_LETTER.test(name)) readings.push(name.replace(/[*#~^]/g, ""))
  if (!SIGNS_FOR_LETTERS.test(name)) return readings
  for (const one of ["i", "l"])
    for (const words of [/\S*[a-z$@!|(]\S*/g, /\S+/g])
      readings.push(
        name.replace(words, (word) =>
          word.replace(/[0-9$@!|(]/g, (sign) => (sign === "1" || sign === "|" ? one : (LETTER_SIGNS[sign] ?? sign))),
        ),
      )
  return readings
}

const HIDDEN_LETTER = /[a-z.][*#~^]+[a-z.]/
/** Matches inside a word, or before three or more letters: `Un1on`, `7rade`. It does not match `20th` and `A320`. */
const SIGNS_FOR_LETTERS = /[a-z][0-9$@!|(]+[a-z]|\b[0-9]{1,3}(?:[a-z]{3}|[a-z]+[0-9])|[$@!][a-z]{3}/

function cutToLimit(raw: string, problems: Set<NameProblem>): string {
  if (raw.length <= NAME_LENGTH_MAX) return raw
  // Twice the limit in UTF-16 units contains every name of that many code points.
  const points = [...raw.slice(0, 2 * NAME_LENGTH_MAX + 1)]
  if (points.length <= NAME_LENGTH_MAX) return raw
  problems.add("TOO_LONG")
  return points.slice(0, NAME_LENGTH_MAX).join("")
}

/**
 * Returns the phonetic reading. If whole words of another script also look like a Latin word, returns that reading too. If a script has no
 * table, also returns the reading in which its words stay verbatim, so that they equal the same words on a list.
 */
function readingsOf(text: string, problems: Set<NameProblem>): string[] {
  let aloud = ""
  let toTheEye = ""
  let verbatim = ""
  let unread = ""
  for (const run of text.match(RUNS) ?? []) {
    const word = LETTERS.test(run) ? foldWord(run, problems) : sameReading(foldMarks(run, problems))
    aloud += word.aloud
    toTheEye += word.toTheEye
    // Such scripts are written with or without spaces, so adjacent unread words count as one.
    if (word.verbatim === null) unread += run
    else if (unread === "" || word.verbatim.trim() !== "") {
      verbatim += `${verbatimWord(unread)}${word.verbatim}`
      unread = ""
    }
  }
  verbatim += verbatimWord(unread)
  const readings = [...new Set([aloud, toTheEye, verbatim])]
  return /[a-z0-9]/.test(aloud) ? readings : readings.reverse()
}

interface FoldedWord {
  readonly aloud: string
  readonly toTheEye: string
  /** Null for a word that can be read with a table. */
  readonly verbatim: string | null
}

const sameReading = (text: string): FoldedWord => ({ aloud: text, toTheEye: text, verbatim: text })

function foldWord(word: string, problems: Set<NameProblem>): FoldedWord {
  const letters = [...word].filter((letter) => !/\p{M}/u.test(letter))
  const scripts = new Set(letters.map(scriptOf).filter((script) => script !== null))
  const looks = letters.map((letter) => latin(letter) ?? lookAlike(letter))
  if (scripts.size > 1) {
    problems.add("MIXED_SCRIPT_WORD")
    return sameReading(letters.map((letter, at) => looks[at] ?? transliterated(letter) ?? " ").join(""))
  }
  const sounds = letters.map((letter) => latin(letter) ?? transliterated(letter))
  const look = looks.includes(undefined) ? null : looks.join("")
  if (sounds.includes(undefined)) {
    problems.add("SCRIPT_WITHOUT_TABLE")
    const text = look ?? sounds.map((sound) => sound ?? " ").join("")
    return { aloud: text, toTheEye: text, verbatim: null }
  }
  const sound = sounds.join("")
  return { aloud: sound, toTheEye: look ?? sound, verbatim: sound }
}

/** Sixteen letters for the hex digits of a code point. */
const NIBBLES = "abcdefghijklmnop"

/**
 * Encodes a word of a script without a table in Latin letters, with its marks. The result is longer than any word that is compared letter
 * by letter, so it equals only itself and is similar to nothing.
 */
function verbatimWord(word: string): string {
  if (word === "") return ""
  let out = ""
  for (const letter of word.toLowerCase())
    for (let shift = 16; shift >= 0; shift -= 4) out += NIBBLES[(letter.codePointAt(0)! >> shift) & 15]
  return ` ${out.padEnd(WORD_LENGTH_MAX + 1, "z")} `
}

function scriptOf(letter: string): string | null {
  for (const [name, pattern] of Object.entries(SCRIPTS)) if (pattern.test(letter)) return name
  return /\p{Script=Common}|\p{Script=Inherited}/u.test(letter) ? null : "other"
}

/** Returns the letter without its marks; a ligature may give several letters. */
const bare = (letter: string): string => letter.normalize("NFKD").replace(/\p{M}+/gu, "")

function latin(letter: string): string | undefined {
  const known = LATIN_LETTERS[letter.toLowerCase()]
  if (known !== undefined) return known
  const plain = bare(letter).toLowerCase()
  return /^[a-z]*$/.test(plain) ? plain : LATIN_LETTERS[plain]
}

function transliterated(letter: string): string | undefined {
  return TRANSLITERATION[letter.toLowerCase()] ?? TRANSLITERATION[bare(letter).toLowerCase()]
}

function lookAlike(letter: string): string | undefined {
  return LATIN_LOOK_ALIKES[letter] ?? LATIN_LOOK_ALIKES[bare(letter)]
}

function foldMarks(run: string, problems: Set<NameProblem>): string {
  let out = ""
  for (const mark of run) {
    if (mark >= " " && mark <= "~") out += mark
    else if (DIGITS[mark] !== undefined) out += DIGITS[mark]
    else if (/[’‘‛´‵′]/.test(mark)) out += "'"
    // A separate line may be a separate name.
    else if (/[\t\n\v\f\r\u0085\u2028\u2029]/.test(mark)) out += "|"
    else if (/[\s\p{Z}]/u.test(mark)) out += " "
    else if (/[\u2012-\u2015\u2e3a\u2e3b]/.test(mark)) out += " - "
    else if (/[“”„‟«»‹›]/.test(mark)) out += '"'
    else if (/[⁄∕]/.test(mark)) out += "/"
    else if (/[¦‖∣•·]/.test(mark)) out += "|"
    else if (mark === "×") out += "x"
    else if (/\p{Ps}/u.test(mark)) out += "("
    else if (/\p{Pe}/u.test(mark)) out += ")"
    else if (/\p{P}|[°º¨¯¸`]/u.test(mark)) out += " "
    else {
      problems.add("UNREADABLE_CHARACTER")
      out += " "
    }
  }
  return out
}

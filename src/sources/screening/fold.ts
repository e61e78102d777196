/**
 * Turns a name as written into plain lower-case ASCII readings, and says when it could not read all of it.
 * INVARIANT: a character that is not understood is reported, never silently dropped: a dropped letter is a missed match.
 */
import { DIGITS, LATIN_LETTERS, LATIN_LOOK_ALIKES, TRANSLITERATION } from "./letter-tables.ts"

/** Why a name must not be called CLEAR although nothing matched it. */
export type NameProblem =
  | "TOO_LONG"
  | "TOO_MANY_WORDS"
  | "TOO_MANY_PARTS"
  | "UNREADABLE_CHARACTER"
  | "MIXED_SCRIPT_WORD"
  | "SCRIPT_WITHOUT_TABLE"
  | "DIRECTION_OVERRIDE"

export interface FoldedName {
  /** One to four ASCII texts, punctuation kept; the first is the most likely one. */
  readonly readings: readonly string[]
  readonly problems: readonly NameProblem[]
}

/** Unicode code points of a name that are read; OFAC's own name field holds as many (`SDN_Name(350)`). */
export const NAME_LENGTH_MAX = 350

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

export function foldName(raw: string): FoldedName {
  const problems = new Set<NameProblem>()
  const name = cutToLimit(raw, problems)
  // A question mark inside a word is where some earlier system lost a letter.
  if (/\p{L}\?+\p{L}/u.test(name)) problems.add("UNREADABLE_CHARACTER")
  if (PLAIN.test(name)) return { readings: plainReadings(name), problems: [...problems] }

  // An override shows letters in another order than they are stored: the reader saw a name we do not have.
  if (/[\u202d\u202e]/.test(name)) problems.add("DIRECTION_OVERRIDE")
  const text = name.replace(/[™℠®©]/g, " ").normalize("NFKC")
  const readings = new Set<string>()
  // An invisible character may hide nothing or may stand for the space that is missing: read both.
  for (const variant of new Set([text.replace(IGNORABLE, ""), text.replace(IGNORABLE, " ")]))
    for (const reading of readingsOf(variant, problems)) readings.add(reading)
  return { readings: [...readings], problems: [...problems] }
}

/** `KarvoIan` with a capital i and `lRAN` with a small L look like other words; such odd capitals are read both ways. */
function plainReadings(name: string): string[] {
  const toTheEye = name.replace(/(?<=[a-z])I(?=[a-z])/g, "l").replace(/(?<=[A-Z])l(?=[A-Z])|\bl(?=[A-Z]{2})/g, "I")
  return toTheEye === name ? [name.toLowerCase()] : [name.toLowerCase(), toTheEye.toLowerCase()]
}

function cutToLimit(raw: string, problems: Set<NameProblem>): string {
  if (raw.length <= NAME_LENGTH_MAX) return raw
  // Twice the limit in UTF-16 units holds every name of that many code points; no need to walk further.
  const points = [...raw.slice(0, 2 * NAME_LENGTH_MAX + 1)]
  if (points.length <= NAME_LENGTH_MAX) return raw
  problems.add("TOO_LONG")
  return points.slice(0, NAME_LENGTH_MAX).join("")
}

/** The reading aloud, and where whole words of another script also spell a Latin word to the eye, that reading too. */
function readingsOf(text: string, problems: Set<NameProblem>): string[] {
  let aloud = ""
  let toTheEye = ""
  for (const run of text.match(RUNS) ?? []) {
    if (!LETTERS.test(run)) {
      const marks = foldMarks(run, problems)
      aloud += marks
      toTheEye += marks
      continue
    }
    const word = foldWord(run, problems)
    aloud += word.aloud
    toTheEye += word.toTheEye
  }
  return aloud === toTheEye ? [aloud] : [aloud, toTheEye]
}

function foldWord(word: string, problems: Set<NameProblem>): { aloud: string; toTheEye: string } {
  const letters = [...word].filter((letter) => !/\p{M}/u.test(letter))
  const scripts = new Set(letters.map(scriptOf).filter((script) => script !== null))
  const looks = letters.map((letter) => latin(letter) ?? lookAlike(letter))
  if (scripts.size > 1) {
    problems.add("MIXED_SCRIPT_WORD")
    const text = letters.map((letter, at) => looks[at] ?? transliterated(letter) ?? " ").join("")
    return { aloud: text, toTheEye: text }
  }
  const sounds = letters.map((letter) => latin(letter) ?? transliterated(letter))
  const look = looks.includes(undefined) ? null : looks.join("")
  if (sounds.includes(undefined)) {
    problems.add("SCRIPT_WITHOUT_TABLE")
    const text = look ?? sounds.map((sound) => sound ?? " ").join("")
    return { aloud: text, toTheEye: text }
  }
  const sound = sounds.join("")
  return { aloud: sound, toTheEye: look ?? sound }
}

function scriptOf(letter: string): string | null {
  for (const [name, pattern] of Object.entries(SCRIPTS)) if (pattern.test(letter)) return name
  return /\p{Script=Common}|\p{Script=Inherited}/u.test(letter) ? null : "other"
}

/** The letter without its marks; a ligature may be several letters. */
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
    else if (/[\s\p{Z}\u0085]/u.test(mark)) out += " "
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

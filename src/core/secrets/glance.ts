/** One pass over a text that says which searches it needs. Most texts of a request need none. */
import { TOKEN_HEADS } from "./token-forms.ts"

export interface Glance {
  /** It may have armour of a key: two hyphens in a row. */
  readonly armour: boolean
  /** It may have a token: a word begins as one. */
  readonly token: boolean
  /** It has a run of characters as long as a key. */
  readonly long: boolean
  /** It has as many words as a seed phrase. */
  readonly words: boolean
  /** It reads otherwise than it is written: escapes, percent-encoding, characters beyond ASCII, white space. */
  readonly odd: boolean
}

/** Characters of the shortest key. */
const KEY_CHARACTERS = 40
const SEED_WORDS = 12

const OTHER = 0
const LETTER = 1
const DIGIT = 2
/** Joins the characters of base64 and of ids. */
const JOINT = 3
const HYPHEN = 4
/** Beyond printable ASCII, or the beginning of an escape. */
const ODD = 5

const KINDS = new Uint8Array(128).fill(OTHER)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  if (/[A-Za-z]/.test(character)) KINDS[code] = LETTER
  else if (/[0-9]/.test(character)) KINDS[code] = DIGIT
  else if (/[+/_]/.test(character)) KINDS[code] = JOINT
  else if (character === "-") KINDS[code] = HYPHEN
  else if (/[^ -~]|[\\%]/.test(character)) KINDS[code] = ODD
}

/** By first character and second. */
const HEADS = new Uint8Array(128 * 128)
for (const head of TOKEN_HEADS) HEADS[(head.charCodeAt(0) << 7) | head.charCodeAt(1)] = 1

export function glanceAt(text: string): Glance {
  let armour = false
  let token = false
  let odd = false
  let words = 0
  let run = 0
  let longest = 0
  let before = OTHER
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (KINDS[code] ?? ODD) : ODD
    if (kind === LETTER || kind === DIGIT) {
      if (before !== LETTER && before !== DIGIT) {
        words++
        const next = text.charCodeAt(at + 1)
        if (next < 128 && HEADS[(code << 7) | next] === 1) token = true
      }
      run++
    } else if (kind === JOINT || kind === HYPHEN) {
      if (kind === HYPHEN && before === HYPHEN) armour = true
      run++
    } else {
      if (run > longest) longest = run
      run = 0
      // In other scripts each character may be a word.
      if (kind === ODD) {
        odd = true
        words++
      }
    }
    before = kind
  }
  return { armour, token, odd, words: words >= SEED_WORDS, long: Math.max(run, longest) >= KEY_CHARACTERS }
}

// Texts that are 32 bytes and nothing else, as a wallet key or a signing seed is written. A digest has the same form.

/** In one piece, or in groups of one size as programs print a key. A name of the digest before it says that it is none. */
const HEX =
  /(?<![0-9a-z])(?<!sha-?256[:=])(?:(?:0x)?[0-9a-f]{64}|(?:[0-9a-f]{2}[ :-]){31}[0-9a-f]{2}|(?:[0-9a-f]{4}[ :-]){15}[0-9a-f]{4}|(?:[0-9a-f]{8}[ :-]){7}[0-9a-f]{8})(?![0-9a-z])/i

/** 43 characters of which the last has two bits, with or without padding. */
const BASE64 = /(?<![A-Za-z0-9+/=_-])(?<!sha-?256[:=])[A-Za-z0-9+/_-]{42}[AEIMQUYcgkosw048]=?(?![A-Za-z0-9+/=_-])/g

/** In 32 random bytes about 23 neighbours differ in kind. One key in 500,000 has fewer than this. A phrase of words joined by hyphens has a few. */
const CHANGES_MIN = 9
/** Random characters have about 17 capitals and 17 small letters. An id with a UUID has only one of both kinds. */
const CAPITALS = /[A-Z].*[A-Z].*[A-Z]/
const SMALL_LETTERS = /[a-z].*[a-z].*[a-z]/

const KEY_NAME = "(?:priv(?:ate)?[ _.-]?key|wallet[ _.-]?key|secret(?:[ _.-]?key)?|seed|mnemonic)"
const NAMED_HEX = "(?:0x)?[0-9a-f]{64}(?![0-9a-z])"
const NAMED_BASE64 = "[a-z0-9+/_-]{43}=?(?![a-z0-9+/=_-])"

/**
 * What calls the 32 bytes behind it a private key. Before base64 without a sign between them the name begins a word: one id in a million has
 * `seed` at that place by chance.
 */
const NAMED_KEY = new RegExp(
  `${KEY_NAME}["']? {0,2}(?:is|[:=,])? {0,2}["']?(?:${NAMED_HEX}|(?<![a-z0-9+/_-])${NAMED_BASE64})` +
    `|(?<![a-z0-9])${KEY_NAME}${NAMED_BASE64}`,
  "i",
)

/** True if the text has 32 bytes as hexadecimal digits or base64. For members where nobody writes a digest without its name. */
export function hasBareKey(text: string): boolean {
  return HEX.test(text) || (text.match(BASE64)?.some(isMixed) ?? false)
}

/** True if the text itself calls the 32 bytes in it a private key. For every member. */
export function hasNamedKey(text: string): boolean {
  return NAMED_KEY.test(text)
}

/** True if small letters, capitals and digits change as often as in random characters. */
function isMixed(text: string): boolean {
  if (!CAPITALS.test(text) || !SMALL_LETTERS.test(text)) return false
  let changes = 0
  for (let i = 1; i < text.length; i++) {
    const [before, kind] = [kindOf(text.charCodeAt(i - 1)), kindOf(text.charCodeAt(i))]
    if (before !== kind && before !== OTHER && kind !== OTHER) changes++
  }
  return changes >= CHANGES_MIN
}

const OTHER = 0

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 1
  if (code >= 0x41 && code <= 0x5a) return 2
  return code >= 0x61 && code <= 0x7a ? 3 : OTHER
}

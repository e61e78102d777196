/** Scripts in which U+200C and U+200D change how the letters of a word are drawn. */
const JOINED_SCRIPTS = [
  "Arabic",
  "Devanagari",
  "Bengali",
  "Gurmukhi",
  "Gujarati",
  "Oriya",
  "Tamil",
  "Telugu",
  "Kannada",
  "Malayalam",
  "Sinhala",
]
/** A letter or a mark of one of them. */
const JOINED = `(?=[\\p{L}\\p{M}])[${JOINED_SCRIPTS.map((script) => `\\p{Script_Extensions=${script}}`).join("")}]`
const HIDDEN = new RegExp(`(?!(?<=${JOINED})[\\u200c\\u200d]${JOINED})[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Co}]`, "gu")

/**
 * Makes text of a stranger harmless on a terminal and in a line: control characters (also those of terminal escapes), line ends, and marks
 * that turn the writing direction or cannot be seen are shown as `\u{…}`. A joiner between two letters of a script that needs it stays. Longer
 * text is cut, and says so.
 */
export function plainText(text: string, charactersMax = 400): string {
  const characters = [...text]
  const shown = characters.slice(0, charactersMax).join("")
  const escaped = shown.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`)
  const rest = characters.length - charactersMax
  return rest > 0 ? `${escaped}… (${rest} more characters)` : escaped
}

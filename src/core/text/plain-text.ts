/**
 * Makes text of a stranger harmless on a terminal and in a line: control characters (also those of terminal escapes), line ends, and marks
 * that turn the writing direction or cannot be seen are shown as `\u{…}`. Longer text is cut, and says so.
 */
export function plainText(text: string, charactersMax = 400): string {
  const characters = [...text]
  const shown = characters.slice(0, charactersMax).join("")
  const escaped = shown.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  )
  const rest = characters.length - charactersMax
  return rest > 0 ? `${escaped}… (${rest} more characters)` : escaped
}

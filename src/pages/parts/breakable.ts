import { plainText } from "../../core/text/plain-text.ts"
import { type PagePart, part } from "./page-part.ts"

/** Text that breaks at spaces, at hyphens and after `_`; a word of over 26 letters also anywhere. */
export function breakable(text: string, charactersMax?: number): readonly PagePart[] {
  const words = plainText(text, charactersMax).split(/(?<=[\s_-])/)
  return words.flatMap((word) => {
    const letters = word.trimEnd()
    const space = word.slice(letters.length)
    const isLong = [...letters].length > LETTERS_WHOLE_MAX
    const shown = isLong ? [part("span", [letters], { class: "long" }), space] : [word]
    return word.endsWith("_") ? [...shown, part("wbr", [])] : shown
  })
}

const LETTERS_WHOLE_MAX = 26

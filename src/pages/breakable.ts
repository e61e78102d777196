import { type Html, html } from "./html.ts"
import { plainText } from "./views/plain-text.ts"

/** Text that breaks at spaces, at hyphens and after `_`; a word of over 26 letters also anywhere. */
export function breakable(text: string): Html {
  const words = plainText(text).split(/(?<=[\s_-])/)
  return html`${words.map((word) => {
    const letters = word.trimEnd()
    const space = word.slice(letters.length)
    const isLong = [...letters].length > LETTERS_WHOLE_MAX
    const shown = isLong ? html`<span class="long">${letters}</span>${space}` : html`${word}`
    return word.endsWith("_") ? html`${shown}<wbr>` : shown
  })}`
}

const LETTERS_WHOLE_MAX = 26

/** Pieces that several pages of the desk have. */

import { timeInWords } from "../case/words/headline.ts"
import { plainText } from "../core/text/plain-text.ts"
import { type Html, html } from "../pages/html.ts"
import { breakable } from "../pages/parts/breakable.ts"
import { part } from "../pages/parts/page-part.ts"
import { htmlOf } from "../pages/write-part.ts"
import type { ScreenedParty } from "../sources/screening/suppress.ts"
import type { Reviewing } from "./visit.ts"

/** Every form of a session has it. */
export function tokenField({ token }: Pick<Reviewing, "token">, path: string): Html {
  return html`<input type="hidden" name="token" value="${token(path)}">`
}

export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** Text of a stranger. It keeps its own writing direction. */
export function nameOf(text: string, charactersMax?: number): Html {
  return htmlOf(part("bdi", breakable(text, charactersMax)))
}

/** What a screened party is beside its name. */
export function partyDetails({ type, identifiers, countries }: Omit<ScreenedParty, "name">): readonly string[] {
  const ids = identifiers.map(({ scheme, value }) => `${scheme}:${value}`)
  return [...(type === null ? [] : [type]), ...ids, ...countries]
}

/** `time` is RFC 3339. */
export function timeOf(time: string): Html {
  return html`<time datetime="${time}" title="${time}">${timeInWords(time, null)}</time>`
}

/** A text of several lines that a person wrote. */
export function writtenText(text: string): Html {
  const lines = text.split("\n")
  return html`${lines.map((line) => html`<p>${nameOf(plainText(line, LINE_MAX), LINE_MAX)}</p>`)}`
}

const LINE_MAX = 1_000

/** The first eight characters of a digest, which page, receipt and export print. */
export function shortDigest(digest: string): string {
  return digest.slice("sha256:".length, "sha256:".length + 8)
}

interface TextField {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly isNeeded: boolean
}

/** `id` makes the ids of the page different. */
export function textArea({ name, label, hint, isNeeded }: TextField, id: string): Html {
  const needed = isNeeded ? html` required` : html``
  return html`<p><label for="${id}-${name}">${label}</label>
<span class="quiet" id="${id}-${name}-hint">${hint}</span>
<textarea id="${id}-${name}" name="${name}" rows="3" maxlength="1000" aria-describedby="${id}-${name}-hint"${needed}></textarea></p>`
}

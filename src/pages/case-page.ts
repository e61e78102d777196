/** A case on a page: the band with the permission, what stopped it, the way out, and what was compared with what. */
import type { Case, CaseGate, CaseHit, CaseReason, CaseWay, ComparedRow, Permission } from "../../schemas/case.ts"
import { dataTable } from "./data-table.ts"
import { type Html, html } from "./html.ts"
import { reasonPath } from "./page-paths.ts"
import {
  COMPARISON_WORDS,
  entryWords,
  GATE_WORDS,
  MISSING_FACTS,
  NO_POLICY,
  purchaseWords,
  scoreWords,
  whoMay,
} from "./views/case-words.ts"
import { type Headline, timeInWords } from "./views/headline.ts"
import { plainText } from "./views/plain-text.ts"

const TONE: Readonly<Record<Permission, string>> = {
  PAY: "pay",
  PAY_IF: "pay-if",
  HOLD: "hold",
  STOP: "stop",
  NO_ANSWER: "none",
}

/** `above`: quiet words, the kind of document. `authenticity`: whether it is genuine, as far as this page knows. */
export function caseBand({ words, more, tone }: Headline, above: string, authenticity: string): Html {
  return html`<div class="band ${TONE[tone]}">
<p class="quiet">${plainText(above)}</p>
<h1>${plainText(words)}</h1>
${[...more, authenticity].map(
  (text) => html`<p>${plainText(text)}</p>
`,
)}</div>`
}

/** `hasLinks`: false for a file that is read without the server. */
export function caseSections(one: Case, hasLinks: boolean): Html {
  const { stopped_by: reasons, ways, gates, hits, asked, notes, missing } = one
  const title = one.permission === "PAY_IF" ? "Conditions" : "What stopped it"
  const all = [...notes, ...(missing.includes("FACTS") ? [MISSING_FACTS] : [])]
  return html`${section(
    title,
    reasons.map((reason) => reasonRow(reason, hasLinks)),
  )}
${section("The way out", ways.map(wayRow))}
${
  asked.length === 0
    ? html``
    : html`<h2>What was asked</h2>
${dataTable(
  "What was asked",
  ["What", "Value"],
  asked.map(({ label, value }) => [html`${plainText(label, 80)}`, name(value)]),
)}`
}
${hits.map(hitSection)}
${gates.map(gateSection)}
${all.map((text) => html`<p class="quiet">${plainText(text)}</p>`)}`
}

/** Text of a stranger. It keeps its own writing direction and does not change that of the words around it. */
function name(text: string): Html {
  return html`<bdi>${breakable(text)}</bdi>`
}

/** Text that breaks at spaces, at hyphens and after `_`; a word of over 26 letters also anywhere. */
function breakable(text: string): Html {
  const words = plainText(text).split(/(?<=[\s_-])/)
  return html`${words.map((word) => {
    const shown = [...word].length > LETTERS_WHOLE_MAX ? html`<span class="long">${word}</span>` : html`${word}`
    return word.endsWith("_") ? html`${shown}<wbr>` : shown
  })}`
}

const LETTERS_WHOLE_MAX = 26

function section(title: string, rows: readonly Html[]): Html {
  if (rows.length === 0) return html``
  return html`<h2>${title}</h2>
<dl>${rows}</dl>`
}

function reasonRow({ code, why }: CaseReason, hasLinks: boolean): Html {
  const shown = html`<code>${plainText(code)}</code>`
  // A path takes no other text than a code of a policy.
  const term = hasLinks && why !== null ? html`<a href="${reasonPath(code)}">${shown}</a>` : shown
  return html`<div><dt>${term}</dt><dd>${plainText(why ?? NO_POLICY)}</dd></div>
`
}

export function wayRow(way: CaseWay): Html {
  const words = way.words ?? "This program does not know this remediation."
  return html`<div><dt><code>${plainText(way.code)}</code></dt><dd>${plainText(words)} ${whoMay(way)} ${purchaseWords(way)}${
    way.way === null ? html`` : html` <code class="call">${plainText(way.way)}</code>`
  }</dd></div>
`
}

function hitSection(hit: CaseHit): Html {
  const { suppression } = hit
  return html`<h2>Listed entry ${String(hit.number)}</h2>
<p>${name(entryWords(hit))}. ${scoreWords(hit)}.</p>
${
  suppression === null
    ? html``
    : html`<p><strong>The operator judged it to be another party</strong> (${plainText(suppression.suppression_id)}), until ${timeOf(suppression.expires_at)}.</p>`
}
<p>Screened as ${plainText(hit.role)}: ${name(hit.screened ?? "not stated")}</p>
${comparedTable(`Listed entry ${hit.number}`, hit.compared)}`
}

function gateSection({ title, outcome, compared }: CaseGate): Html {
  return html`<h2>${title}</h2>
<p>The check ${GATE_WORDS[outcome]}.</p>
${compared.length === 0 ? html`` : comparedTable(title, compared)}`
}

function comparedTable(title: string, rows: readonly ComparedRow[]): Html {
  return dataTable(
    title,
    ["What", "Asked", "Found", "Result", "Source", "Date"],
    rows.map(({ what, asked, found, result, source, date }) => [
      breakable(what),
      asked === null ? html`not asked` : name(asked),
      found === null ? html`not stated` : name(found),
      html`${result === "DIFFERS" ? html`<strong>${COMPARISON_WORDS[result]}</strong>` : COMPARISON_WORDS[result]}`,
      source === null ? html`none` : breakable(source),
      timeOf(date),
    ]),
  )
}

function timeOf(time: string | null): Html {
  if (time === null) return html`unknown`
  return html`<time datetime="${time}" title="${time}">${plainText(timeInWords(time, null))}</time>`
}

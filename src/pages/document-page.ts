/** A document for a person: the decision first, then what to do, why, the facts, and the sources with their dates. */

import { headlineOf, type Unverified } from "../case/words/headline.ts"
import { plainText } from "../core/text/plain-text.ts"
import { dataTable } from "./data-table.ts"
import { type Html, html } from "./html.ts"
import { reasonPath } from "./page-paths.ts"
import { breakable } from "./parts/breakable.ts"
import { bandPart, caseParts } from "./parts/case-parts.ts"
import { type DocumentView, otherReasons, statedPrefix } from "./views/view.ts"
import { htmlOf } from "./write-part.ts"

interface DocumentPageOptions {
  /** Heading in place of the decision, for a document without one. */
  readonly title: string
  /** False for a file that is read without the server: reasons are then no links. */
  readonly hasLinks: boolean
  /** Between the decision and the facts: how to verify the document, where its JSON is. */
  readonly note: Html
  readonly authenticity: Unverified
}

export function documentPage(view: DocumentView, options: DocumentPageOptions): Html {
  const { title, hasLinks, note, authenticity } = options
  const { warnings, advice, facts, sources } = view
  const reasons = otherReasons(view)
  return html`${headOf(view, title, authenticity)}
${warnings.length === 0 ? html`` : html`<div class="notice" role="note">${warnings.map((text) => html`<p><strong>${text}</strong></p>`)}</div>`}
${
  advice.length === 0
    ? html``
    : html`<h2>What to do</h2>
<ul>${advice.map(
        (text) => html`<li>${plainText(text)}</li>
`,
      )}</ul>`
}
${note}
${view.case === null ? html`` : htmlOf(...caseParts(view.case, { heading: "h2", reasonHref: hasLinks ? reasonPath : null }))}
${
  reasons.length === 0
    ? html``
    : html`<h2>Reasons</h2>
<dl>${reasons.map((reason) => reasonEntry(reason, hasLinks))}</dl>`
}
${
  facts.length === 0
    ? html``
    : html`<h2>Facts</h2>
${dataTable(
  "Facts",
  ["What", "Value"],
  facts.map(({ label, value }) => [html`${plainText(label, 80)}`, htmlOf(...breakable(value))]),
)}`
}
${
  sources.length === 0
    ? html``
    : html`<h2>Sources</h2>
${dataTable(
  "Sources",
  ["Source", "Published", "Retrieved", "What it showed"],
  sources.map(({ name, published, retrieved, detail }) => [
    html`<code>${plainText(name)}</code>`,
    html`${plainText(published ?? "unknown")}`,
    html`${plainText(retrieved ?? "unknown")}`,
    htmlOf(...breakable(detail)),
  ]),
)}`
}`
}

/** The permission of an answer, or the title of any other document. */
function headOf(view: DocumentView, title: string, authenticity: Unverified): Html {
  const { case: one, decision } = view
  if (decision === null) return html`<h1>${title}</h1>`
  const code = html`<p class="lead">${statedPrefix(view)}<code>${plainText(decision.decision)}</code> <code>${plainText(decision.machineAction)}</code></p>`
  if (one === null)
    return html`<h1>${title}</h1>
${code}`
  const words = AUTHENTICITY_WORDS[authenticity.state]
  const band = { headline: headlineOf(one, authenticity), above: title, authenticity: words, heading: "h1" } as const
  return html`${htmlOf(bandPart(band))}
${code}`
}

const AUTHENTICITY_WORDS: Readonly<Record<Unverified["state"], string>> = {
  UNCHECKED: "Nobody verified this document. A forged one can say the same.",
  ISSUED: "This server signed the answer. Verify its capsule before you rely on it elsewhere.",
}

function reasonEntry({ code, why, remediation }: DocumentView["reasons"][number], hasLinks: boolean): Html {
  const name = html`<code>${plainText(code)}</code>`
  // A path takes no other text than a code of a policy.
  const term = hasLinks && why !== null ? html`<a href="${reasonPath(code)}">${name}</a>` : name
  return html`<div><dt>${term}</dt><dd>${why ?? "This program does not have the policy that gave this reason."}${
    remediation === "" ? html`` : html` Remedy: <code>${remediation}</code>`
  }</dd></div>
`
}

/** A document for a person: the decision first, then what to do, why, the facts, and the sources with their dates. */

import { dataTable } from "./data-table.ts"
import { type Html, html } from "./html.ts"
import { reasonPath } from "./page-paths.ts"
import { plainText } from "./views/plain-text.ts"
import type { DocumentView } from "./views/view.ts"

interface DocumentPageOptions {
  /** Heading in place of the decision, for a document without one. */
  readonly title: string
  /** False for a file that is read without the server: reasons are then no links. */
  readonly hasLinks: boolean
  /** Between the decision and the facts: how to verify the document, where its JSON is. */
  readonly note: Html
}

export function documentPage(view: DocumentView, { title, hasLinks, note }: DocumentPageOptions): Html {
  const { decision, warnings, advice, reasons, facts, sources } = view
  return html`${
    decision === null
      ? html`<h1>${title}</h1>`
      : html`<p class="quiet">${plainText(title)}</p>
<h1>${plainText(decision.decision)}</h1>
<p class="lead"><code>${plainText(decision.machineAction)}</code></p>`
  }
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
  facts.map(({ label, value }) => [html`${plainText(label, 80)}`, html`${plainText(value)}`]),
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
    html`${plainText(detail)}`,
  ]),
)}`
}`
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

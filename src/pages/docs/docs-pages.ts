/** The index of the documentation, and each of its pages. */
import { readFile } from "node:fs/promises"
import { RELEASE_KEY } from "../../base/build-facts.ts"
import { type Html, html } from "../html.ts"
import { type DocumentPage, GUIDES, REFERENCE_PAGES } from "./documents.ts"
import { renderMarkdown } from "./render-markdown.ts"

const API: readonly Omit<DocumentPage, "file">[] = [
  { path: "/docs/api", title: "API reference", about: "Every route with its body, parameters and responses" },
  {
    path: "/docs/reasons",
    title: "Reason codes",
    about: "What each reason of an answer means, and what to do about it",
  },
]

export function docsIndex(): Html {
  return html`<h1>Documentation</h1>
${links(GUIDES)}
<h2 id="reference">Reference</h2>
<p>Printed from the code of this version.</p>
${links([...API, ...REFERENCE_PAGES])}
<h2 id="release">Release key</h2>
${releaseKey()}`
}

function releaseKey(): Html {
  if (RELEASE_KEY === null) return html`<p>This build was given no release key.</p>`
  return html`<p>The publisher of this program signs its <a href="/docs/release">releases</a> with the key <code>${RELEASE_KEY}</code>.</p>`
}

function links(pages: readonly Omit<DocumentPage, "file">[]): Html {
  return html`<ul class="links">
${pages.map(
  ({ path, title, about }) => html`<li><a href="${path}"><span>${title}</span> <small>${about}</small></a></li>
`,
)}</ul>`
}

export function findDocument(path: string): DocumentPage | undefined {
  return [...GUIDES, ...REFERENCE_PAGES].find((page) => page.path === path)
}

/** Reads and renders one page. Rejects if the binary does not have its file, which is a bug. */
export async function documentContent({ file, path }: DocumentPage): Promise<Html> {
  return renderMarkdown(await readFile(file, "utf8"), path)
}

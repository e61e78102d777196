/**
 * Renders Markdown (CommonMark with tables) as HTML. Every text goes through the html tag, so no markup of a document reaches the page: an
 * HTML comment is left out, an anchor `<a id="…"></a>` becomes an id, and other HTML is shown as text.
 */
import { lexer, type Token, type Tokens } from "marked"
import { dataTable } from "../data-table.ts"
import { type Html, html } from "../html.ts"
import { documentLink } from "./document-link.ts"
import { HeadingIds } from "./heading-ids.ts"

/** `path`: path of the page on the server, against which its relative links are resolved. */
export function renderMarkdown(text: string, path: string): Html {
  const page = new PageRenderer(path)
  return html`${page.blocks(lexer(text))}`
}

class PageRenderer {
  readonly #ids = new HeadingIds()
  #tables = 0

  constructor(private readonly path: string) {}

  blocks(tokens: readonly Token[]): Html[] {
    return tokens.map((token) => this.#block(token))
  }

  #block(token: Token): Html {
    switch (token.type) {
      case "heading":
        return this.#heading(token as Tokens.Heading)
      case "paragraph":
        return html`<p>${this.#inlines((token as Tokens.Paragraph).tokens)}</p>
`
      case "code":
        return html`<pre tabindex="0"><code>${(token as Tokens.Code).text}
</code></pre>
`
      case "list":
        return this.#list(token as Tokens.List)
      case "table":
        return this.#table(token as Tokens.Table)
      case "blockquote":
        return html`<blockquote>${this.blocks((token as Tokens.Blockquote).tokens)}</blockquote>
`
      case "hr":
        return html`<hr>
`
      case "space":
        return html``
      default:
        return this.#inline(token)
    }
  }

  #heading({ depth, text, tokens }: Tokens.Heading): Html {
    const id = this.#ids.idOf(text)
    const content = this.#inlines(tokens)
    if (depth === 1)
      return html`<h1 id="${id}">${content}</h1>
`
    return depth === 2
      ? html`<h2 id="${id}">${content}</h2>
`
      : html`<h3 id="${id}">${content}</h3>
`
  }

  #list({ ordered, items }: Tokens.List): Html {
    const rows = items.map(
      ({ tokens }) => html`<li>${this.blocks(tokens)}</li>
`,
    )
    return ordered
      ? html`<ol>${rows}</ol>
`
      : html`<ul>${rows}</ul>
`
  }

  #table({ header, rows }: Tokens.Table): Html {
    this.#tables++
    return html`${dataTable(
      `Table ${this.#tables}`,
      header.map(({ tokens }) => html`${this.#inlines(tokens)}`),
      rows.map((cells) => cells.map(({ tokens }) => html`${this.#inlines(tokens)}`)),
    )}
`
  }

  #inlines(tokens: readonly Token[]): Html[] {
    return tokens.map((token) => this.#inline(token))
  }

  #inline(token: Token): Html {
    switch (token.type) {
      case "codespan":
        return html`<code>${(token as Tokens.Codespan).text}</code>`
      case "strong":
        return html`<strong>${this.#inlines((token as Tokens.Strong).tokens)}</strong>`
      case "em":
        return html`<em>${this.#inlines((token as Tokens.Em).tokens)}</em>`
      case "link":
        return this.#link(token as Tokens.Link)
      case "image":
        // The server has no pictures of itself.
        return html`<em>${(token as Tokens.Image).text}</em> `
      case "br":
        return html`<br>`
      case "html":
        return markup(token as Tokens.HTML)
      case "text": {
        const { tokens, text } = token as Tokens.Text
        return tokens === undefined ? html`${text}` : html`${this.#inlines(tokens)}`
      }
      default:
        return html`${token.raw}`
    }
  }

  #link({ href, tokens }: Tokens.Link): Html {
    const content = this.#inlines(tokens)
    const target = documentLink(href, this.path)
    return target === null ? html`${content}` : html`<a href="${target}">${content}</a>`
  }
}

function markup({ text }: Tokens.HTML): Html {
  if (/^<!--[\s\S]*-->\s*$/.test(text) || text.trim() === "</a>") return html``
  const anchor = /^<a id="([a-z0-9-]+)">(<\/a>)?\s*$/.exec(text)?.[1]
  return anchor === undefined ? html`${text}` : html`<span id="${anchor}"></span>`
}

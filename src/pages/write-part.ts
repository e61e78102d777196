import { Html, html } from "./html.ts"
import type { PagePart } from "./parts/page-part.ts"

/** Elements without content and without an end tag. */
const VOID: ReadonlySet<string> = new Set(["wbr"])

/** Writes pieces of a page as markup. Texts and attributes are escaped. */
export function htmlOf(...parts: readonly PagePart<Html>[]): Html {
  return html`${parts.map(written)}`
}

function written(part: PagePart<Html>): Html {
  if (typeof part === "string") return html`${part}`
  if (part instanceof Html) return part
  const { tag, attributes, inside } = part
  const start = html`<${tag}${Object.entries(attributes).map(([name, value]) => html` ${name}="${value}"`)}>`
  return VOID.has(tag) ? start : html`${start}${inside.map(written)}</${tag}>`
}

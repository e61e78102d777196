/**
 * Writes all pages (rulings 64). Every interpolated value is escaped for text and for a quoted attribute; only the output of this tag is
 * inserted unchanged. Attributes are always quoted. A URL is escaped but not checked, so it must come from configuration or from fixed
 * tables, never from a caller.
 */
const MADE_HERE = Symbol("html")

export class Html {
  constructor(
    made: typeof MADE_HERE,
    readonly text: string,
  ) {
    if (made !== MADE_HERE) throw new TypeError("markup is made by the html tag only")
  }
}

/**
 * The one inline script of a page, unchanged: the browser hashes exactly this text. It comes from the build and never from a request.
 * Throws a TypeError for a text that HTML would not read as one script.
 */
export function inlineScript(source: string): Html {
  if (/<\/script|<!--|[\r\0]/i.test(source)) throw new TypeError("HTML changes or ends this script")
  return new Html(MADE_HERE, `<script>${source}</script>`)
}

type Interpolated = string | Html | readonly Html[]

export function html(literals: TemplateStringsArray, ...values: readonly Interpolated[]): Html {
  const text = literals.map((literal, index) => literal + written(values[index] ?? "")).join("")
  return new Html(MADE_HERE, text)
}

function written(value: Interpolated): string {
  if (typeof value === "string") return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")
  if (value instanceof Html) return value.text
  return value.map(({ text }) => text).join("")
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

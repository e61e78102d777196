/** The parts of the header Authentication-Results (RFC 8601) that DMARC needs. */

interface DmarcResult {
  /** In lower case: `pass`, `fail`, `none` … */
  readonly result: string
  /** The domain of From as the verifier read it, in lower case; null if it is not stated. */
  readonly headerFrom: string | null
}

interface AuthenticationResults {
  /** In lower case. */
  readonly authservId: string
  readonly dmarc: readonly DmarcResult[]
}

/** Returns null for a value that does not follow the grammar: then nothing in it is believed. */
export function readAuthenticationResults(value: string): AuthenticationResults | null {
  const tokens = tokensOf(value)
  if (tokens === null) return null
  const [first, ...results] = splitAt(tokens, ";")
  const [id, version, ...more] = first ?? []
  if (id?.kind !== "word" || more.length > 0 || (version !== undefined && !/^\d{1,9}$/.test(version.text))) return null
  const dmarc: DmarcResult[] = []
  for (const result of results) {
    const read = methodOf(result)
    if (read === null) return null
    if (read.method === "dmarc") dmarc.push({ result: read.result, headerFrom: read.headerFrom })
  }
  return { authservId: id.text.toLowerCase(), dmarc }
}

interface Token {
  /** A quoted string is a word. */
  readonly kind: "word" | ";" | "=" | "/"
  readonly text: string
}

/** Comments are left out, quoted strings are unquoted. Null: a comment or a quoted string has no end. */
function tokensOf(value: string): readonly Token[] | null {
  const tokens: Token[] = []
  let at = 0
  while (at < value.length) {
    const unit = value[at] ?? ""
    if (unit === " " || unit === "\t") at++
    else if (unit === ";" || unit === "=" || unit === "/") {
      tokens.push({ kind: unit, text: unit })
      at++
    } else if (unit === "(") {
      const end = endOfComment(value, at)
      if (end === null) return null
      at = end
    } else if (unit === '"') {
      const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(value.slice(at)) ?? []
      if (quoted === undefined) return null
      tokens.push({ kind: "word", text: quoted.slice(1, -1).replace(/\\(.)/g, "$1") })
      at += quoted.length
    } else {
      const [word = ""] = /^[^ \t;=/("]+/.exec(value.slice(at)) ?? []
      tokens.push({ kind: "word", text: word })
      at += word.length
    }
  }
  return tokens
}

/** Comments nest. Returns the place after the comment that begins at `from`. */
function endOfComment(value: string, from: number): number | null {
  let depth = 0
  for (let at = from; at < value.length; at++) {
    const unit = value[at]
    if (unit === "\\") at++
    else if (unit === "(") depth++
    else if (unit === ")" && --depth === 0) return at + 1
  }
  return null
}

function splitAt(tokens: readonly Token[], kind: Token["kind"]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (token.kind === kind) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

interface MethodResult extends DmarcResult {
  readonly method: string
}

/** `method[/version] = result [reason = value] *(ptype.property = value)`, or `none`. A value may have `=` and `/` of its own. */
function methodOf(tokens: readonly Token[]): MethodResult | null {
  const words = tokens.filter(({ kind }) => kind === "word")
  if (tokens.length <= 1) {
    // An empty part is the end of a line that ends with a semicolon.
    return tokens.length === 0 || words[0]?.text.toLowerCase() === "none" ? NO_METHOD : null
  }
  const [method, ...rest] = tokens
  const from = rest[0]?.kind === "/" ? 2 : 0
  const [equals, result] = rest.slice(from)
  if (method?.kind !== "word" || equals?.kind !== "=" || result?.kind !== "word") return null
  const named = propertiesOf(rest.slice(from + 2)).filter(({ name }) => name === "header.from")
  // A verifier states each property once. Twice could mean two domains.
  if (named.length > 1) return null
  const headerFrom = named[0]?.value.toLowerCase() ?? null
  return { method: method.text.toLowerCase(), result: result.text.toLowerCase(), headerFrom }
}

const NO_METHOD: MethodResult = { method: "", result: "none", headerFrom: null }

function propertiesOf(tokens: readonly Token[]): readonly { readonly name: string; readonly value: string }[] {
  return tokens.flatMap((token, at) => {
    const [equals, value] = tokens.slice(at + 1, at + 3)
    if (token.kind !== "word" || equals?.kind !== "=" || value?.kind !== "word") return []
    return [{ name: token.text.toLowerCase(), value: value.text }]
  })
}

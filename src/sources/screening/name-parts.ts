/** A name that joins two parties (`X dba Y`, `X c/o Y`, `X (Y)`) is screened whole and in its parts (ruling 52). */

export interface NameParts {
  /** The whole first, then each part, without doubles. */
  readonly texts: readonly string[]
  readonly tooMany: boolean
}

/** Texts of one name that are screened: the whole and at most eleven parts. */
export const PARTS_MAX = 12

/** The abbreviations with any of `/`, `.` or nothing between their letters, and the same said in words. */
const MARKER = new RegExp(
  "\\b(?:" +
    ["dba", "aka", "fka", "nka", "obo", "fbo"].map((marker) => [...marker].join("[./]?")).join("|") +
    "|t[./]a|c[./]o|doing business as|trad(?:ing|es) as|also known as|(?:formerly|now|previously) known as|formerly|care of|" +
    "on behalf of|for the benefit of|attn)\\b\\.?",
  "g",
)
const BRACKETED = /\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}/g
/** A slash between single letters belongs to an abbreviation such as `A/S`. */
const SEPARATOR = /[()[\]{};|]|(?<!\b[a-z])\/|\/(?![a-z]\b)/

/** `folded` is one reading of `foldName`: lower-case ASCII with its punctuation. */
export function namePartsOf(folded: string): NameParts {
  const marked = folded.replace(MARKER, "|")
  if (!SEPARATOR.test(marked)) return { texts: [folded], tooMany: false }
  const texts = new Set([marked.replaceAll("|", " ")])
  const outside = marked.replace(BRACKETED, " ")
  if (!SEPARATOR.test(outside)) texts.add(outside.trim())
  for (const part of marked.split(SEPARATOR))
    if (/[a-z]{3}/.test(part.replace(/[^a-z0-9]/g, ""))) texts.add(part.trim())
  return { texts: [...texts].slice(0, PARTS_MAX), tooMany: texts.size > PARTS_MAX }
}

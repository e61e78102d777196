/** Splits a name that joins two parties (`X dba Y`, `X c/o Y`, `X (Y)`). It is screened whole and in its parts (ruling 52). */

import type { NameClass } from "./name-form.ts"

export interface NameParts {
  /** The whole text first, then the text with the words between its parties if there are any, then each part; without duplicates. */
  readonly texts: readonly string[]
  readonly tooMany: boolean
}

/** Maximum texts of one name that are screened: the whole and at most eleven parts. */
export const PARTS_MAX = 12

/** The abbreviations, with any of `/`, `.` or nothing between their letters, and the same in words. */
export const ABBREVIATIONS = ["dba", "aka", "fka", "nka", "obo", "fbo"]
export const PHRASES = [
  ...["doing business as", "trad(?:ing|es) as", "also known as", "(?:formerly|now|previously) known as", "formerly"],
  ...[
    "care of",
    "(?:on|for) (?:the )?(?:behalf|account|benefit) of",
    "in trust for",
    "(?:as )?agents? (?:of|for)",
    "attn",
  ],
  ...["(?:an? )?(?:division|subsidiary|affiliate|branch|unit|member|part) of", "owned by", "controlled by"],
]
/** Does not match inside spelled-out letters: `S.T.A.T.E.` contains no `t/a`. */
const MARKER = new RegExp(
  `\\b(?<![a-z]\\.)(?:${ABBREVIATIONS.map((marker) => [...marker].join("[./]?")).join("|")}|t[./]as?|c[./]o|${PHRASES.join("|")})\\b(?!\\.[a-z]\\b)\\.?:?`,
  "g",
)
const BRACKETED = /\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}|<[^<>]*>|"[^"]*"/g
/** A slash between single letters belongs to an abbreviation such as `A/S`. A hyphen or plus without spaces belongs to one word. */
export const SEPARATOR = /[()[\]{};:|<>="\\]|(?<!\b[a-z])\/|\/(?![a-z]\b)| [-+] | -- /

/**
 * A comma joins a company to its form or its own words more often than to another company. So the text after it must look like a complete
 * name.
 */
const COMMA_PART = /^(?! *and\b).*[a-z]{3}\S* .*[a-z]{3}/

/** A nickname alone is not a person. */
const TWO_WORDS = /[a-z]{2}\S* +\S*[a-z]{2}/

/**
 * `folded` is one reading of `foldName`: lower-case ASCII with its punctuation. A person's name is cut at markers and separators. But the
 * text before and after a bracketed nickname is one name, and a comma is the one after the surname.
 */
export function namePartsOf(folded: string, nameClass: NameClass): NameParts {
  const marked = folded.replace(MARKER, "|")
  const commas = nameClass === "org" && marked.includes(",")
  if (!commas && !SEPARATOR.test(marked)) return { texts: [folded], tooMany: false }
  // `Light Infantry Division of the Army` is one party: the words between two parties may be words of a name.
  const texts = new Set([marked, folded].map((text) => text.replaceAll("|", " ")))
  const add = (part: string) => {
    if (/[a-z]{3}/.test(part.replace(/[^a-z0-9]/g, ""))) texts.add(part.trim())
  }
  const outside = marked.replace(BRACKETED, " ")
  for (const part of outside.split(SEPARATOR)) add(part)
  const within = nameClass === "person" ? (marked.match(BRACKETED) ?? []) : [marked]
  for (const text of within)
    for (const part of text.split(SEPARATOR)) if (nameClass !== "person" || TWO_WORDS.test(part)) add(part)
  if (commas) for (const part of outside.split(/,|\|/)) if (COMMA_PART.test(part)) add(part)
  return { texts: [...texts].slice(0, PARTS_MAX), tooMany: texts.size > PARTS_MAX }
}

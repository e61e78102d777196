import { hash } from "node:crypto"
import { legalNameKey } from "./legal-name-key.ts"

/** A company, as an answer about it names it. */
export interface NamedParty {
  /** Legal names. The first is the one to show. */
  readonly names: readonly string[]
  /** Such as `lei:…`: scheme in lower case, value as records have it. */
  readonly identifiers: readonly string[]
}

/** Characters of a key: 132 bits of a SHA-256. */
const KEY_CHARACTERS = 22

/**
 * Returns a key for each name and identifier, by which the party is found. Names that differ only in case, punctuation, spacing and invisible
 * characters have one key; a name without a letter or digit has none. All keys have one length, however long a name is.
 */
export function partyKeys({ names, identifiers }: NamedParty): string[] {
  const folded = names.map(legalNameKey).filter((key) => key !== "")
  return [...new Set([...folded.map((key) => `name:${key}`), ...identifiers])].map(keyOf)
}

function keyOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, KEY_CHARACTERS)
}

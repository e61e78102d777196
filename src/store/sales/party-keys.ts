import { digestBytes } from "../../core/digest.ts"
import { legalNameKey } from "../../core/legal-name-key.ts"

/** A company, as an answer about it names it. */
export interface NamedParty {
  /** Legal names. The first is the one to show. */
  readonly names: readonly string[]
  /** Such as `lei:…`: scheme in lower case, value as records have it. */
  readonly identifiers: readonly string[]
}

/** 128 bits of the digest. */
const KEY_DIGITS = 32

/**
 * Returns a key for each name and identifier, by which the party is found. Names that differ only in case, punctuation, spacing and invisible
 * characters have one key; a name without a letter or digit has none. All keys have one length, however long a name is.
 */
export function partyKeys({ names, identifiers }: NamedParty): string[] {
  const folded = names.map(legalNameKey).filter((key) => key !== "")
  return [...new Set([...folded.map((key) => `name:${key}`), ...identifiers])].map(keyOf)
}

function keyOf(text: string): string {
  return digestBytes(text).slice(-KEY_DIGITS)
}

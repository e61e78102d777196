/**
 * Finds secrets in a text (Interface, rule 6 and Authentication 10; rulings 92).
 *
 * CHOICE: the search covers what a careless or evading caller writes: line breaks left out or written as `\n`, quotes with backslashes,
 * percent-encoding, invisible and full-width characters. The word lists of seed phrases are all ten of BIP-39.
 */
import { foldText } from "../text/fold-text.ts"
import { hasBareKey, hasNamedKey } from "./bare-key.ts"
import { type Glance, glanceAt } from "./glance.ts"
import { hasListedKeyPair } from "./key-pair.ts"
import { hasArmour, hasEncodedKey, hasKeystore, hasPrivateJwk } from "./private-key-text.ts"
import { hasSeedPhrase } from "./seed-phrase.ts"
import { hasCredential, hasIssuedToken } from "./token-forms.ts"

export type Secret = "PRIVATE_KEY_MATERIAL" | "SEED_PHRASE" | "ACCESS_TOKEN"

/** No secret is shorter. */
const CHARACTERS_MIN = 15

/**
 * Returns the kind of secret in `text`, or null. `bareKeys`: 32 bytes without a name are a key. Linear in the length of the text.
 */
export function findSecret(text: string, bareKeys: boolean): Secret | null {
  if (text.length < CHARACTERS_MIN) return null
  const glance = glanceAt(text)
  const found = findIn(text, glance, bareKeys)
  if (found !== null || !glance.odd) return found
  const read = asRead(text)
  return findIn(read, glanceAt(read), bareKeys)
}

function findIn(text: string, { armour, long, token, words }: Glance, bareKeys: boolean): Secret | null {
  if (armour && hasArmour(text)) return "PRIVATE_KEY_MATERIAL"
  if (long && (hasEncodedKey(text) || hasNamedKey(text))) return "PRIVATE_KEY_MATERIAL"
  if (hasPrivateJwk(text) || hasKeystore(text) || (words && hasListedKeyPair(text))) return "PRIVATE_KEY_MATERIAL"
  if ((token && hasIssuedToken(text)) || hasCredential(text)) return "ACCESS_TOKEN"
  if (words && hasSeedPhrase(text)) return "SEED_PHRASE"
  // A part of a token may have the form of a key.
  return bareKeys && hasBareKey(text) ? "PRIVATE_KEY_MATERIAL" : null
}

const ESCAPE = /\\+(?:u([0-9a-f]{4})|([nrt])|(.))/gi
const PERCENT = /%([2-7][0-9a-f]|0[9ad])/gi

/** The text as whoever uses it reads it: without escapes, encoding and what no reader sees. */
function asRead(text: string): string {
  const plain = foldText(text)
    .replace(ESCAPE, (_, code?: string, space?: string, other?: string) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      return space === undefined ? (other ?? "") : " "
    })
    .replace(PERCENT, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return foldText(plain)
}

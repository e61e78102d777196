import type { TSchema } from "@sinclair/typebox"
import { Amount, AtomicAmount, Currency, Digest, EvmAddress } from "../../../schemas/common.ts"
import type { Secret } from "../secrets/find-secret.ts"
import { isKeyPairForSignature } from "../secrets/key-pair.ts"
import { isIssuedToken } from "../secrets/token-forms.ts"

const FIXED_FORMS: ReadonlySet<unknown> = new Set([
  ...[Digest, Currency, Amount, AtomicAmount, EvmAddress].map(({ pattern }) => pattern),
  // Other patterns for whole amounts.
  "^\\d+$",
  "^[1-9][0-9]*$",
])

/** Values that the service creates or checks itself: ids, keys and signatures. They are fully random and have one length. */
const RANDOM_FORM = /^\^([a-z0-9:_-]*)\[A-Za-z0-9_-\]\{(?:2[2-9]|[3-9]\d)\}\$$/

/** Amounts match a card number by chance one time in twenty. The caller never chooses the other fixed forms (rulings 57). */
export function isFixedForm(schema: TSchema): boolean {
  return FIXED_FORMS.has(schema["pattern"]) || prefixOfRandom(schema) !== null
}

/** The fixed text before the random characters, often none. Returns null for a schema of another form. */
export function prefixOfRandom({ pattern }: TSchema): string | null {
  return typeof pattern === "string" ? (RANDOM_FORM.exec(pattern)?.[1] ?? null) : null
}

/**
 * The kind of secret that fills the random characters: a token of an issuer, or a private key in the form of a signature. Fewer than one random
 * value in 10^9 has such a form.
 */
export function secretAsRandom(prefix: string, value: string): Secret | null {
  if (!value.startsWith(prefix)) return null
  const random = value.slice(prefix.length)
  if (isIssuedToken(random)) return "ACCESS_TOKEN"
  return isKeyPairForSignature(random) ? "PRIVATE_KEY_MATERIAL" : null
}

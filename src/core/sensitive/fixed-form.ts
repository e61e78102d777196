import type { TSchema } from "@sinclair/typebox"
import { Amount, AtomicAmount, Currency, Digest, EvmAddress } from "../../../schemas/common.ts"

const FIXED_FORMS: ReadonlySet<unknown> = new Set([
  ...[Digest, Currency, Amount, AtomicAmount, EvmAddress].map(({ pattern }) => pattern),
  // Other patterns for whole amounts.
  "^\\d+$",
  "^[1-9][0-9]*$",
])

/** Values that the service creates or checks itself: ids, keys, tokens and signatures. They are fully random and have one length. */
const RANDOM_FORM = /^\^[a-z0-9:_-]*\[A-Za-z0-9_-\]\{(2[2-9]|[3-9]\d)\}\$$/

/** Amounts match a card number by chance one time in twenty. The caller never chooses the other fixed forms (rulings 57). */
export function isFixedForm({ pattern }: TSchema): boolean {
  return FIXED_FORMS.has(pattern) || (typeof pattern === "string" && RANDOM_FORM.test(pattern))
}

import type { PaymentPayload } from "../../schemas/x402.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import type { QuoteTerms } from "./quote-file.ts"

/** Throws CommandError (3) unless the payment pays exactly these terms from this wallet (from any wallet if `payer` is null). */
export function requireOwnPayment(
  { accepted, payload }: PaymentPayload,
  terms: QuoteTerms,
  payer: string | null,
): void {
  const { from, to, value } = payload.authorization
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  if (canonicalize(accepted) !== canonicalize(terms.requirements))
    throw paymentRefusal("it accepts other terms than the quote's")
  if (payer !== null && !same(from, payer))
    throw paymentRefusal("it is from another wallet than the request's decision_fee_payer")
  if (!same(to, terms.requirements.payTo) || value !== terms.requirements.amount) {
    throw paymentRefusal("it transfers something else than the quote asks for")
  }
}

export function paymentRefusal(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the payment is not sent: ${why}`)
}

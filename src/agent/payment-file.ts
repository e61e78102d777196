/**
 * The signed payment, on disk before it is sent, so that the same authorization is presented again after a lost answer. A second
 * authorization could pay twice. A person who can read the file can cause the transfer until the authorization expires, but only to the
 * payee.
 */
import { existsSync } from "node:fs"
import type { Static } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { closed, Digest } from "../../schemas/common.ts"
import { text } from "../../schemas/text.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { jsonOrUndefined } from "../core/strict-json.ts"
import { PAYMENT_HEADER_CHARACTERS_MAX, readPaymentHeader } from "../payments/payment-header.ts"
import { ownerOnlyBytes } from "./key-file.ts"
import { paymentRefusal, requireOwnPayment } from "./own-payment.ts"
import type { QuoteTerms } from "./quote-file.ts"

const PaymentFile = closed({
  body_digest: Digest,
  payment_signature: text(1, PAYMENT_HEADER_CHARACTERS_MAX),
})
type PaymentFile = Static<typeof PaymentFile>
const checkPaymentFile = TypeCompiler.Compile(PaymentFile)

/** Returns the path next to the quote, so that one quote has one payment. */
export function paymentPath(quotePath: string): string {
  return `${quotePath}.payment`
}

/** Returns null if no payment was signed yet. Throws CommandError (4) if the file exists and cannot be used. */
export function readPaymentFile(path: string): PaymentFile | null {
  if (!existsSync(path)) return null
  const content = jsonOrUndefined(ownerOnlyBytes(path))
  if (checkPaymentFile.Check(content)) return content
  throw new CommandError(
    EXIT.NOT_CHECKED,
    `${path} is not a payment of this version; nothing new is signed while it is there`,
  )
}

/**
 * Returns the header if it pays exactly these terms from this wallet (from any wallet if `payer` is null). Throws CommandError (3)
 * otherwise.
 */
export function checkedPayment(header: string, terms: QuoteTerms, payer: string | null): string {
  const payment = readPaymentHeader(new Headers({ "payment-signature": header }))
  if (payment === null || typeof payment === "string") throw paymentRefusal(payment ?? "no payment")
  requireOwnPayment(payment.payload, terms, payer)
  return header
}

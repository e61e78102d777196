/**
 * A quote as received, stored in a file until a person or a limit approves it. Its terms are checked on arrival and again before payment,
 * because the file was on disk in between.
 */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import type { QuoteFacts } from "../../schemas/payment-replies.ts"
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Asset } from "../payments/networks/network.ts"
import { NETWORKS } from "../payments/networks/networks.ts"
import { QuoteFile } from "./forms/quote-file.ts"
import type { ProductRequest } from "./request-bytes.ts"

/** The review that is required before a quote is paid (Interface, rule 7). */
export type ReviewDuty = QuoteFacts["review_duty"]

const checkQuoteFile = TypeCompiler.Compile(QuoteFile)

export interface QuoteTerms {
  readonly requirements: PaymentRequirements
  readonly asset: Asset
  readonly amountAtomic: bigint
  /** Seconds since the epoch. */
  readonly expiresAt: number
}

/** Throws CommandError (4) if the value is not a quote file of this version. */
export function readQuote(value: unknown): QuoteFile {
  if (!checkQuoteFile.Check(value))
    throw new CommandError(EXIT.NOT_CHECKED, "the file is not a quote file of this version")
  return value
}

/**
 * Returns the terms of the quote's single offer, if it is an offer for exactly this request and its mandate (if any) permits it. Throws
 * CommandError (3) otherwise: an unknown asset or network, another body, another resource, a fee above the mandate.
 */
export function termsOf(quote: QuoteFile, request: ProductRequest): QuoteTerms {
  const { server, path, payment_required: required } = quote
  const [requirements] = required.accepts
  if (!requirements || required.accepts.length !== 1) throw refusal("it does not make exactly one offer")
  const isRequested = quote.product === request.product && path === request.path
  if (!isRequested || quote.request_digest !== request.requestDigest || quote.body_digest !== request.bodyDigest) {
    throw refusal("it belongs to another request")
  }
  if (required.resource.url !== server + path) throw refusal("it is for another URL than the request")
  const extra = requirements.extra ?? {}
  if (extra["bodyDigest"] !== quote.body_digest) throw refusal("its bodyDigest is not the digest of this request")
  const asset = NETWORKS.map((network) => network.asset).find(({ network }) => network === requirements.network)
  if (!asset || requirements.asset.toLowerCase() !== asset.address.toLowerCase()) {
    throw refusal("it asks for another asset or network than USDC on Base")
  }
  // The signature's domain consists of these two. With another name the signature would be for another contract.
  if (extra["name"] !== asset.name || extra["version"] !== asset.version)
    throw refusal("its name or version of the asset is wrong")
  if (requirements.scheme !== "exact" || extra["assetTransferMethod"] !== "eip3009") {
    throw refusal("it asks for another kind of payment than an exact EIP-3009 transfer")
  }
  const amountAtomic = BigInt(requirements.amount)
  if (request.feeMax !== null && amountAtomic > request.feeMax) {
    throw refusal("it asks for more than the mandate's max_decision_fee_atomic")
  }
  const expiresAt = extra["quoteExpiresAt"]
  if (typeof expiresAt !== "number" || !Number.isSafeInteger(expiresAt))
    throw refusal("it does not say when it expires")
  return { requirements, asset, amountAtomic, expiresAt }
}

function refusal(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the quote is not used: ${why}`)
}

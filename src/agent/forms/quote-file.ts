import { type Static, Type } from "@sinclair/typebox"
import { closed, Digest } from "../../../schemas/common.ts"
import { QuoteFacts } from "../../../schemas/payment-replies.ts"
import { text } from "../../../schemas/text.ts"
import { PaymentRequired } from "../../../schemas/x402.ts"

export const QuoteFile = closed({
  server: text(1, 512),
  product: text(1, 160),
  path: text(1, 512),
  request_digest: Digest,
  body_digest: Digest,
  review_duty: QuoteFacts.properties.review_duty,
  payment_required: PaymentRequired,
})
export type QuoteFile = Static<typeof QuoteFile>

/** The member of a 402's body that a caller reads. */
export const QuoteBody = Type.Object({ svc: QuoteFacts })

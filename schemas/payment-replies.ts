/** The bodies of a paid route that are neither an answer nor a problem: the quote (402) and the pending payment (202). */
import { type Static, Type } from "@sinclair/typebox"
import { AtomicAmount, closed, digestOver, EvmAddress, enumeration } from "./common.ts"
import type { ResponseSpec } from "./response.ts"
import { DecimalString } from "./x402.ts"

const Network = Type.String({ pattern: "^eip155:[0-9]{1,32}$", description: "CAIP-2 chain id" })

/** The one entry of `accepts`. A client echoes it unchanged in `accepted` of its payment. */
const QuotedTerms = closed({
  scheme: Type.Literal("exact"),
  network: Network,
  amount: DecimalString,
  asset: EvmAddress,
  payTo: EvmAddress,
  maxTimeoutSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
  extra: closed({
    name: Type.String({ description: "EIP-712 name of the token" }),
    version: Type.String({ description: "EIP-712 version of the token" }),
    assetTransferMethod: Type.Literal("eip3009"),
    bodyDigest: digestOver("C14N of the request body"),
    quoteId: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
    quoteSalt: Type.String({ pattern: "^[A-Za-z0-9_-]{22}$" }),
    quoteExpiresAt: Type.Integer({ description: "Seconds since the epoch" }),
  }),
})

/** The member that a 402 body has in addition to the x402 object (rulings 11). */
export const QuoteFacts = closed({
  request_digest: digestOver(
    "C14N of the request: for a decision without mandate and request signature, else the whole body",
  ),
  body_digest: digestOver("C14N of the request body"),
  price: closed({ amount: Type.String(), amount_atomic: AtomicAmount, asset: Type.Literal("USDC"), network: Network }),
  not_a_charge: Type.Literal(true),
  review_duty: enumeration("HUMAN_REVIEW_BEFORE_PAYMENT", "REVIEW_QUOTE_BEFORE_PAYMENT"),
  recover: Type.Union([Type.String(), Type.Null()], {
    description: "URL that returns an acquired decision again without payment, or null if repeating the request does",
  }),
})
export type QuoteFacts = Static<typeof QuoteFacts>

/** The 402 body: the x402 PaymentRequired object of the header PAYMENT-REQUIRED, and `svc`. */
const PaymentQuote = closed(
  {
    x402Version: Type.Literal(2),
    error: Type.String({ description: "Why no payment was taken" }),
    resource: closed({ url: Type.String(), description: Type.String(), mimeType: Type.Literal("application/json") }),
    accepts: Type.Array(QuotedTerms, { minItems: 1, maxItems: 1 }),
    extensions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    svc: QuoteFacts,
  },
  {
    $id: "PaymentQuote",
    description: "Body-bound quote. It is not a charge: inspect it before you authorize a payment",
  },
)

/** The 202 body of a paid route. */
export const PendingPayment = closed(
  {
    state: Type.Literal("PENDING"),
    charged: Type.Literal("UNKNOWN"),
    instruction: Type.String(),
    /** Present while an on-chain job buys the request. */
    rail: Type.Optional(Type.Literal("acp")),
    next_machine_action: enumeration("RETRY_WITH_SAME_PAYMENT", "RETRY_WITH_SAME_PAYMENT_OR_RECOVER", "RETRY_RECOVERY"),
    retry_after_seconds: Type.Integer({ minimum: 1 }),
  },
  { $id: "PendingPayment" },
)
export type PendingPayment = Static<typeof PendingPayment>

/** The 202 body of the recovery route. */
export const PendingRecovery = closed(
  { ...PendingPayment.properties, next_machine_action: Type.Literal("RETRY_RECOVERY") },
  { $id: "PendingRecovery" },
)
export type PendingRecovery = Static<typeof PendingRecovery>

/** The responses that every paid route has beside its answer and its problems. */
export const unpaidReplies: Readonly<Record<202 | 402, ResponseSpec>> = {
  202: {
    description: "Payment or delivery in progress; repeat with the same payment, and never sign a new one",
    schema: PendingPayment,
  },
  402: { description: "Body-bound quote; not a charge", schema: PaymentQuote },
}

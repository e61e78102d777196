import { TypeCompiler } from "@sinclair/typebox/compiler"
import type { QuoteFacts } from "../../schemas/payment-replies.ts"
import { PaymentRequired } from "../../schemas/x402.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { without } from "../core/without.ts"
import { type UnchargedAnswer, unchargedIn } from "./answer-in.ts"
import { QuoteBody, type QuoteFile } from "./forms/quote-file.ts"
import { headerJson } from "./header-json.ts"
import type { ProductRequest } from "./request-bytes.ts"
import { postText, refused, type Send, type ServiceReply } from "./service-call.ts"

const checkBody = TypeCompiler.Compile(QuoteBody)
const checkRequired = TypeCompiler.Compile(PaymentRequired)

interface QuoteDeps {
  readonly send: Send
  /** Origin of the service. */
  readonly server: string
  /** What recovers a decision, in the words of the caller's program. */
  readonly recovery: string
}

type Quoted =
  | { readonly kind: "QUOTE"; readonly quote: QuoteFile }
  /** The service now decides nothing, quotes nothing and charges nothing. */
  | { readonly kind: "UNCHARGED"; readonly answer: UnchargedAnswer }

/**
 * Sends the request without a payment. Throws CommandError: 3 if the service refused or the quote contradicts itself, 4 if there is no
 * answer or another attempt runs.
 */
export async function askQuote({ send, server, recovery }: QuoteDeps, request: ProductRequest): Promise<Quoted> {
  const { product, path, text, headers, requestDigest, bodyDigest } = request
  const reply = await postText(send, server + path, text, { headers })
  const uncharged = unchargedIn(reply, request)
  if (uncharged) return { kind: "UNCHARGED", answer: uncharged }
  if (reply.status === 202) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `a payment for this request is under way; repeat it with the same payment, or recover a decision with ${recovery}`,
    )
  }
  if (reply.status !== 402) throw refused("quote", reply)
  const required = requiredIn(reply)
  const { svc } = reply.body as unknown as { svc: QuoteFacts }
  const [offer] = required.accepts
  if (svc.request_digest !== requestDigest || svc.body_digest !== bodyDigest) {
    throw refusal("it is for another request")
  }
  if (svc.price.amount_atomic !== offer?.amount || svc.price.network !== offer.network) {
    throw refusal("price and offer differ")
  }
  return {
    kind: "QUOTE",
    quote: {
      server,
      product,
      path,
      request_digest: requestDigest,
      body_digest: bodyDigest,
      review_duty: svc.review_duty,
      payment_required: required,
    },
  }
}

/**
 * Returns the header's value if the body has the same value. A mismatch is rejected: a proxy or a page could show one price and request
 * another.
 */
function requiredIn(reply: ServiceReply): PaymentRequired {
  const required = headerJson(reply.headers.get("payment-required"))
  if (required === undefined) throw refusal("its PAYMENT-REQUIRED header is missing or unreadable")
  if (!checkRequired.Check(required)) throw refusal("its PAYMENT-REQUIRED header is not of x402 version 2")
  if (!checkBody.Check(reply.body)) throw refusal("its body is not a quote of this service")
  if (canonicalize(without(reply.body as { svc?: unknown }, "svc")) !== canonicalize(required)) {
    throw refusal("header and body differ")
  }
  return required
}

function refusal(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the quote is not used: ${why}`)
}

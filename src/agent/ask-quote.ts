import { type Static, Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { closed, Digest, enumeration } from "../../schemas/common.ts"
import { type DecisionRequest, PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { PaymentRequired } from "../../schemas/x402.ts"
import { requestDigest } from "../checks/digests.ts"
import { CommandError, EXIT } from "../cli/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes, without } from "../core/digest.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"
import type { QuoteFile } from "./quote-file.ts"
import { postText, refused, type Send, type ServiceAnswer } from "./service-call.ts"

/** The member our 402 body has beside PaymentRequired (rulings 11). */
const Svc = closed({
  request_digest: Digest,
  body_digest: Digest,
  price: closed({ amount: Type.String(), amount_atomic: Type.String(), asset: Type.String(), network: Type.String() }),
  not_a_charge: Type.Literal(true),
  review_duty: enumeration("HUMAN_REVIEW_BEFORE_PAYMENT", "REVIEW_QUOTE_BEFORE_PAYMENT"),
  recover: Type.Union([Type.String(), Type.Null()]),
})
const checkBody = TypeCompiler.Compile(Type.Object({ svc: Svc }))
const checkRequired = TypeCompiler.Compile(PaymentRequired)

/** Asks without paying. Throws CommandError: 3 refused or a quote that contradicts itself, 4 not answered or an attempt running. */
export async function askQuote(send: Send, server: string, request: DecisionRequest): Promise<QuoteFile> {
  const text = canonicalize(request)
  const answer = await postText(send, server + PAYMENT_DECISION_PATH, text)
  if (answer.status === 202) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      "a payment for this request is under way; repeat it with the same payment or use bizauth agent recover",
    )
  }
  if (answer.status !== 402) throw refused("quote", answer)
  const required = requiredIn(answer)
  const digests = { request_digest: requestDigest(request), body_digest: digestBytes(text) }
  const { svc } = answer.body as unknown as { svc: Static<typeof Svc> }
  const [offer] = required.accepts
  if (svc.request_digest !== digests.request_digest || svc.body_digest !== digests.body_digest) {
    throw refuse("it is for another request")
  }
  if (svc.price.amount_atomic !== offer?.amount || svc.price.network !== offer.network) {
    throw refuse("price and offer differ")
  }
  return { server, path: PAYMENT_DECISION_PATH, ...digests, payment_required: required }
}

/** What the header says, if the body says the same: a proxy or a page that shows one and asks for the other is not believed. */
function requiredIn(answer: ServiceAnswer): PaymentRequired {
  const header = answer.headers.get("payment-required") ?? ""
  let required: unknown
  try {
    required = readJson(Buffer.from(header, "base64"))
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw refuse("its PAYMENT-REQUIRED header is missing or unreadable")
  }
  if (!checkRequired.Check(required)) throw refuse("its PAYMENT-REQUIRED header is not of x402 version 2")
  if (!checkBody.Check(answer.body)) throw refuse("its body is not a quote of this service")
  if (canonicalize(without(answer.body as { svc?: unknown }, "svc")) !== canonicalize(required)) {
    throw refuse("header and body differ")
  }
  return required
}

function refuse(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the quote is not used: ${why}`)
}

/** How the reply of an operation becomes the result of a tool call. */
import type { QuoteFacts } from "../../../schemas/payment-replies.ts"
import type { PaymentRequired } from "../../../schemas/x402.ts"
import type { ServiceError } from "../../base/errors.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Reply } from "../../http/call.ts"
import { type ProblemContext, problemOf } from "../../http/problem.ts"
import type { Result } from "./result.ts"

const PAYMENT_RESPONSE_META = "x402/payment-response"
const CAPSULE_META = "svc/proof-capsule"

const utf8 = new TextDecoder()

/**
 * The reply of an operation. 402 is an error with the quote, as x402 defines it for MCP. Any other reply is none: an answer as it was
 * stored, byte for byte, as text and as structured content; or the state of a payment.
 */
export function toolResult({ status, body, headers = {}, note }: Reply): Result {
  const text = status === 402 ? canonicalize(bareQuote(JSON.parse(textOf(body)) as HttpQuote)) : textOf(body)
  const isError = status === 402 ? ',"isError":true' : ""
  return { members: `${contentOf(text)},"structuredContent":${text}${isError}`, ...metaOf(headers), note }
}

/** A refusal as the result of a tool: its problem document as text, which SDKs do not check against an output schema. */
export function problemResult(refused: ServiceError, context: ProblemContext): Result {
  const text = JSON.stringify(problemOf(refused, context))
  return { members: `${contentOf(text)},"isError":true`, note: { code: refused.code } }
}

type HttpQuote = PaymentRequired & { readonly svc?: Partial<QuoteFacts> }

/**
 * The quote without what only an HTTP client uses: the explanation in `svc`, of which the duty to review stays, and the description of the
 * HTTP route for indexes.
 */
function bareQuote({ svc, extensions, ...required }: HttpQuote): HttpQuote {
  const { bazaar: _, ...others } = extensions ?? {}
  return {
    ...required,
    ...(Object.keys(others).length > 0 && { extensions: others }),
    ...(svc?.review_duty && { svc: { review_duty: svc.review_duty } }),
  }
}

function metaOf(headers: Readonly<Record<string, string>>): { meta?: string } {
  const settled = headers["payment-response"]
  const capsule = headers["svc-proof-capsule"]
  const members = [
    ...(settled === undefined ? [] : [`"${PAYMENT_RESPONSE_META}":${decoded(settled, "base64")}`]),
    // CHOICE: the capsule is JSON here. Over HTTP the same bytes are base64url in a header.
    ...(capsule === undefined ? [] : [`"${CAPSULE_META}":${decoded(capsule, "base64url")}`]),
  ]
  return members.length === 0 ? {} : { meta: members.join(",") }
}

function decoded(text: string, coding: "base64" | "base64url"): string {
  return Buffer.from(text, coding).toString("utf8")
}

function contentOf(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`
}

function textOf(body: Reply["body"]): string {
  if (typeof body === "string") return body
  return body instanceof Uint8Array ? utf8.decode(body) : canonicalize(body)
}

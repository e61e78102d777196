/** Buys the answer to a completed draft over the synthetic chain, as far as the service lets it. */
import type { Operation } from "../../../schemas/operation.ts"
import type { PaymentRequirements } from "../../../schemas/x402.ts"
import { digestBytes } from "../../core/digest.ts"
import { SANDBOX_BASE_URL, type Sandbox } from "../open-sandbox.ts"
import { signPayment } from "../synthetic-chain.ts"
import type { Transcript } from "../transcript.ts"
import type { Members } from "./fill-required.ts"

interface Purchase {
  readonly sandbox: Sandbox
  readonly transcript: Transcript
  readonly operation: Operation
  readonly body: object
}

interface LastReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Members
}

/** Returns the answer, or the first response that is neither a quote nor an answer: a refusal, or an answer that decides nothing. */
export async function buy({ sandbox, transcript, operation, body }: Purchase): Promise<LastReply> {
  const text = JSON.stringify(body)
  const post = async (payment: Readonly<Record<string, string>>): Promise<LastReply> => {
    const headers = { "content-type": "application/json", ...ukHeaders(operation, body, text), ...payment }
    const response = await transcript.send(
      new Request(`${SANDBOX_BASE_URL}${operation.path}`, { method: "POST", headers, body: text }),
    )
    return { status: response.status, headers: response.headers, body: (await response.json()) as Members }
  }
  const first = await post({})
  const [terms] = (first.body["accepts"] ?? []) as unknown as PaymentRequirements[]
  if (first.status !== 402 || !terms) return first
  return post({ "payment-signature": await signPayment(sandbox.chain, terms, sandbox.machine) })
}

/** Interface, "UK request headers". A key that no header can hold is left out, and the route says so. */
function ukHeaders({ product }: Operation, body: object, text: string): Record<string, string> {
  if (product?.jurisdiction !== "GB") return {}
  const { idempotency_key: key } = body as { readonly idempotency_key?: unknown }
  const isHeaderText = typeof key === "string" && /^[!-~]+$/.test(key)
  return { ...(isHeaderText && { "idempotency-key": key }), "x-cdo-request-body-digest": digestBytes(text) }
}

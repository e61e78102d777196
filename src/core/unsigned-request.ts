import type { Static } from "@sinclair/typebox"
import type { RequestingAgent } from "../../schemas/us/payment-decision.ts"
import { without } from "./without.ts"

interface Signed {
  readonly requesting_agent: Static<typeof RequestingAgent>
}

/** Returns what `requesting_agent.request_signature` covers: the request without the signature itself. */
export function unsignedRequest<T extends Signed>(request: T) {
  return { ...request, requesting_agent: without(request.requesting_agent, "request_signature") }
}

/** Returns what the request digest covers: the request without the mandate, which contains the digest, and without the request signature. */
export function digestedRequest<T extends Signed & { readonly buyer_mandate: unknown }>(request: T) {
  return without(unsignedRequest(request), "buyer_mandate")
}

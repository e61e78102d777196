import type { Static } from "@sinclair/typebox"
import type { RequestingAgent } from "../../schemas/us/payment-decision.ts"
import { without } from "./digest.ts"

interface Signed {
  readonly requesting_agent: Static<typeof RequestingAgent>
}

/** Returns what `requesting_agent.request_signature` covers: the request without the signature itself. */
export function unsignedRequest<T extends Signed>(request: T) {
  return { ...request, requesting_agent: without(request.requesting_agent, "request_signature") }
}

import { Value } from "@sinclair/typebox/value"
import { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { ServiceReply } from "./service-call.ts"

/**
 * Returns the delivery in a response, if it is one for this request. Throws CommandError (3) otherwise. It does not verify the signature;
 * `bizauth verify` does, with the issuer's keys from a separate source.
 */
export function deliveryIn({ body }: ServiceReply, requestDigest: string): DecisionResponse {
  if (Value.Check(DecisionResponse, body) && body.request_digest === requestDigest) return body
  throw new CommandError(EXIT.INVALID, "the delivery is written to the file, but it is not a decision for this request")
}

import { Value } from "@sinclair/typebox/value"
import { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { ServiceAnswer } from "./service-call.ts"

/**
 * The delivery in an answer, if it is one for this request. Throws CommandError (3). Says nothing about its signature: that is
 * `bizauth verify`, with the issuer's keys obtained apart from it.
 */
export function deliveryIn({ body }: ServiceAnswer, requestDigest: string): DecisionResponse {
  if (Value.Check(DecisionResponse, body) && body.request_digest === requestDigest) return body
  throw new CommandError(EXIT.INVALID, "what was delivered and written is not a decision for this request")
}

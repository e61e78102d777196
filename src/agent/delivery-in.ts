import { Value } from "@sinclair/typebox/value"
import { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { BoughtAnswer } from "./answer-in.ts"
import type { ServiceReply } from "./service-call.ts"

/**
 * Returns the delivery in a response that passed `requireOwnDelivery`. Throws CommandError (3) if it is not one. It does not verify
 * the signature; `bizauth verify` does, with the issuer's keys from a separate source.
 */
export function deliveryIn({ body }: ServiceReply): DecisionResponse {
  if (Value.Check(DecisionResponse, body)) return body
  throw new CommandError(EXIT.INVALID, "the delivery is written to the file, but it is not a decision of this version")
}

/** What `agent pay` prints of the delivery. Throws like {@link deliveryIn}. */
export function boughtDecisionIn(reply: ServiceReply): BoughtAnswer {
  const { decision, machine_action, decision_id, delivery } = deliveryIn(reply)
  return {
    decision,
    machineAction: machine_action,
    reference: delivery.response_digest,
    decisionId: decision_id,
    hasToken: false,
  }
}

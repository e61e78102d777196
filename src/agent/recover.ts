/** Gets an acquired decision again, without payment. */
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { requestDigest } from "../checks/policy/digests.ts"
import { requireOwnDelivery } from "./delivery-answer.ts"
import type { SigningKey } from "./keys.ts"
import { recoveryRequest } from "./recover-request.ts"
import { DELIVERY_BYTES_MAX, postJson, refused, type Send, type ServiceReply } from "./service-call.ts"

interface RecoveryDeps {
  readonly send: Send
  /** Origin of the service. */
  readonly server: string
  readonly key: SigningKey
  readonly machine: Pick<Machine, "now" | "random">
}

/** Returns the delivery of the request. Throws CommandError: 3 refused, 4 pending or no answer, 5 never acquired. */
export async function recoverDelivery(
  { send, server, key, machine }: RecoveryDeps,
  request: DecisionRequest,
): Promise<ServiceReply> {
  const body = recoveryRequest(request, key, server, machine)
  const reply = await postJson(send, `${server}${PAYMENT_DECISION_PATH}/recover`, body, {
    bytesMax: DELIVERY_BYTES_MAX,
  })
  if (reply.status === 202) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      "the payment is still being settled; recover again later, do not pay again",
    )
  }
  if (reply.status === 404) {
    throw new CommandError(EXIT.NOT_FOUND, "nothing was acquired for this request; this does not authorize a payment")
  }
  if (reply.status !== 200) throw refused("recovery", reply)
  requireOwnDelivery(reply, requestDigest(request), "recover again; nothing was charged")
  return reply
}

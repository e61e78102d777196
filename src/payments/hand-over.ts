/**
 * Sends a stored attempt to the hosted facilitator. SETTLING is already on disk. Whatever the facilitator responds, only the service's own
 * node ends the attempt.
 */
import type { PaymentPayload } from "../../schemas/x402.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import { type Authorization, authorizationOf, settlingForm } from "./authorization.ts"
import { isPaymentPayload } from "./payload-shape.ts"
import type { HostedParts } from "./payments.ts"

/** Does nothing while {@link HandOverPace} asks for a pause, or when the attempt ended and has no payload. */
export async function handOver(
  { hosted, pace }: HostedParts,
  attempt: Attempt,
  monotonic: () => number,
): Promise<void> {
  if (attempt.payloadJson === null || !pace.isDue(attempt.id, monotonic())) return
  const { payload, accepted } = storedPayload(attempt.payloadJson)
  pace.note(attempt.id, await hosted.settle(asSettled(attempt, payload), accepted), monotonic())
}

/** The authorization in an attempt's stored payload, as it goes to the chain. */
export function storedAuthorization(attempt: Pick<Attempt, "payerHasCode">, payloadJson: string): Authorization {
  return asSettled(attempt, storedPayload(payloadJson).payload)
}

function asSettled({ payerHasCode }: Pick<Attempt, "payerHasCode">, payload: PaymentPayload["payload"]): Authorization {
  return settlingForm(authorizationOf(payload), payerHasCode === 1)
}

function storedPayload(payloadJson: string): PaymentPayload {
  const payload: unknown = JSON.parse(payloadJson)
  if (!isPaymentPayload(payload)) throw new TypeError("a stored payment payload does not match its schema")
  return payload
}

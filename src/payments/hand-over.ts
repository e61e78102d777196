/**
 * Sends a stored attempt to the hosted facilitator. SETTLING is already on disk. Whatever the facilitator responds, only the service's own
 * node ends the attempt.
 */
import type { PaymentPayload } from "../../schemas/x402.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import { type Authorization, authorizationOf } from "./authorization.ts"
import { isPaymentPayload } from "./payload-shape.ts"
import type { HostedParts } from "./payments.ts"

/** Does nothing while {@link HandOverPace} asks for a pause, or when the attempt ended and has no payload. */
export async function handOver(
  { hosted, pace }: HostedParts,
  attempt: Attempt,
  monotonic: () => number,
): Promise<void> {
  if (attempt.payloadJson === null || !pace.isDue(attempt.id, monotonic())) return
  const payload = storedPayload(attempt.payloadJson)
  pace.note(attempt.id, await hosted.settle(authorizationOf(payload.payload), payload.accepted), monotonic())
}

/** The authorization in an attempt's stored payload. */
export function storedAuthorization(payloadJson: string): Authorization {
  return authorizationOf(storedPayload(payloadJson).payload)
}

function storedPayload(payloadJson: string): PaymentPayload {
  const payload: unknown = JSON.parse(payloadJson)
  if (!isPaymentPayload(payload)) throw new TypeError("a stored payment payload does not match its schema")
  return payload
}

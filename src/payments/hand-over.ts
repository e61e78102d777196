/** Gives a stored attempt to the hosted facilitator. SETTLING is on disk before; whatever it answers, only our own node ends it. */
import type { PaymentPayload } from "../../schemas/x402.ts"
import type { Attempt } from "../store/attempts.ts"
import { type Authorization, authorizationOf } from "./authorization.ts"
import type { HostedSettler, SettlementHint } from "./hosted-settler.ts"
import { isPaymentPayload } from "./payload-shape.ts"

/** Null when the attempt holds no payload any more: it ended. */
export async function handOver(hosted: HostedSettler, attempt: Attempt): Promise<SettlementHint | null> {
  if (attempt.payloadJson === null) return null
  const payload = storedPayload(attempt.payloadJson)
  return hosted.settle(authorizationOf(payload.payload), payload.accepted)
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

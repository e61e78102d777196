/** Gives a stored attempt to the hosted facilitator. SETTLING is on disk before; whatever it answers, only our own node ends it. */
import type { Attempt } from "../store/attempts.ts"
import { authorizationOf } from "./authorization.ts"
import { isPaymentPayload } from "./payload-shape.ts"
import type { HostedParts } from "./payments.ts"

/** Does nothing while the facilitator must be left alone ({@link HandOverPace}), or when the attempt ended and holds no payload. */
export async function handOver({ hosted, pace }: HostedParts, attempt: Attempt, now: () => number): Promise<void> {
  if (attempt.payloadJson === null || !pace.isDue(attempt.id, now())) return
  const payload: unknown = JSON.parse(attempt.payloadJson)
  if (!isPaymentPayload(payload)) throw new TypeError("a stored payment payload does not match its schema")
  pace.note(attempt.id, await hosted.settle(authorizationOf(payload.payload), payload.accepted), now())
}

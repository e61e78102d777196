/** A decision that was paid and arrived too late to be useful, and the requests that may replace it. */
import { expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { HOUR, MINUTE } from "../../src/core/time.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import type { Bench, ClockMachine } from "./selling-bench.ts"

export interface LateDecision {
  readonly request: DecisionRequest
  /** The payment that bought it. */
  readonly header: Record<string, string>
  readonly reference: string
}

/** Buys a decision that arrives four minutes before its end, because the chain mined nothing in between. */
export async function lateDecision(bench: Bench, server: TestServer, clock: ClockMachine): Promise<LateDecision> {
  await bench.chain.setAutomine(false)
  const request = freshRequest({ at: clock.now() })
  const header = await signedHeader(server, request)
  expect((await server.post(request, header)).status).toBe(202)
  clock.advance(HOUR - 4 * MINUTE)
  await bench.chain.mine(1)
  await bench.chain.setAutomine(true)
  await reconcileOnce(server.deps)
  const answer = await server.post(request, header)
  const { delivery } = (await answer.json()) as { delivery: { response_digest: string } }
  return { request, header, reference: delivery.response_digest }
}

/** Another request for the same obligation with a new key, mandate and time, which names the earlier answer. */
export function again(late: LateDecision, clock: ClockMachine): DecisionRequest {
  return freshRequest({
    at: clock.now(),
    request: {
      invoice: late.request.invoice,
      payment_instruction_digest: `sha256:${"7".repeat(64)}`,
      evidence_references: [late.reference as DecisionRequest["evidence_references"][number]],
    },
  })
}

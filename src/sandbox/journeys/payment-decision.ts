/** PAYMENT_DECISION_ALLOW, _HOLD and _BLOCK: the same purchase for a clear, a similar and a listed name. RECOVERY_PENDING: a late block. */
import { PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import { type Cast, type EnrolledAgent, enrolAgent, type MadeDocument } from "../journey-cast.ts"
import { CLEAR_NAME } from "../synthetic-boards.ts"
import type { SandboxAnswer } from "../transcript.ts"
import { delegate, payFor, presentPayment, recover, requestFor } from "./purchase.ts"

/** Plays until the service decides `decision`; another decision is a fault. */
export function playDecision(legalName: string, decision: string): (cast: Cast) => Promise<MadeDocument[]> {
  return async (cast) => {
    const agent = await enrolAgent(cast)
    await delegate(cast, agent)
    const request = requestFor(cast, agent, legalName)
    await cast.transcript.call({
      actor: "AGENT",
      method: "POST",
      path: `${PAYMENT_DECISION_PATH}/eligibility`,
      body: request,
      status: 200,
    })
    const call = { path: PAYMENT_DECISION_PATH, body: request }
    const paid = await presentPayment(cast, call, await payFor(cast, call), 200)
    if (paid.body?.["decision"] !== decision) {
      throw new Error(`the journey is decided ${String(paid.body?.["decision"])}, not ${decision}`)
    }
    await recover(cast, request, 200)
    return documentsOf(agent, paid)
  }
}

/** The payment is in no block yet when the answer is asked for. */
export async function playRecovery(cast: Cast): Promise<MadeDocument[]> {
  const { sandbox, transcript } = cast
  const agent = await enrolAgent(cast)
  await delegate(cast, agent)
  const request = requestFor(cast, agent, CLEAR_NAME)
  const call = { path: PAYMENT_DECISION_PATH, body: request }
  const payment = await payFor(cast, call)
  sandbox.chain.minesAtOnce = false
  await presentPayment(cast, call, payment, 202)
  await recover(cast, request, 202)
  await transcript.act("CHAIN", "MINE_BLOCK", () => sandbox.mineBlock())
  const recovered = await recover(cast, request, 200)
  await recover(cast, request, 400, { "payment-signature": payment })
  return documentsOf(agent, recovered)
}

function documentsOf(agent: EnrolledAgent, { body }: SandboxAnswer): MadeDocument[] {
  return [
    { type: "EVENT_RECEIPT", document: agent.receipt },
    { type: "PROOF_CAPSULE", document: body?.["proof_capsule"] as object },
  ]
}

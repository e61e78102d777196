/** The parts of a Payment Decision that is bought: delegation, quote, payment, recovery. */

import { BUYER_ONBOARDING_PATH } from "../../../schemas/us/buyer-onboarding.ts"
import { type DecisionRequest, PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import type { PaymentRequirements } from "../../../schemas/x402.ts"
import { signingKey } from "../../agent/keys.ts"
import { recoveryRequest } from "../../agent/recover-request.ts"
import { decisionDraft } from "../../products/us/payment-decision/example.ts"
import type { Cast, EnrolledAgent } from "../journey-cast.ts"
import { SANDBOX_BASE_URL } from "../open-sandbox.ts"
import { enterBuyer, syntheticDecision, syntheticDelegation } from "../synthetic-buyer.ts"
import { signPayment } from "../synthetic-chain.ts"
import type { SandboxAnswer } from "../transcript.ts"

/** The operator enters the buyer, and the buyer lets the agent act for it. */
export async function delegate(
  { transcript, sandbox, buyer }: Pick<Cast, "transcript" | "sandbox" | "buyer">,
  agent: EnrolledAgent,
  currency = "USD",
): Promise<void> {
  const { service, machine } = sandbox
  await transcript.act("OPERATOR", "ENTER_BUYER", () => enterBuyer(service.store, buyer, machine.now()))
  await transcript.call({
    actor: "BUYER_ORGANIZATION",
    method: "POST",
    path: `${BUYER_ONBOARDING_PATH}/enroll`,
    body: syntheticDelegation(buyer, agent, machine, { audience: SANDBOX_BASE_URL, currency }),
    status: 201,
  })
}

/** The request of the buyer for a supplier of this name. */
export function requestFor({ sandbox, buyer }: Cast, agent: EnrolledAgent, legalName: string): DecisionRequest {
  const { machine, chain } = sandbox
  const draft = decisionDraft({ at: machine.now(), key: "synthetic-order-0001" }, agent)
  return syntheticDecision(
    {
      ...draft,
      decision_fee_payer: chain.payer.address,
      supplier: { ...draft.supplier, legal_name: legalName },
      risk_policy: { policy_id: "synthetic", tolerance: "HIGH" },
    },
    buyer,
    agent,
    machine,
  )
}

export interface PaidCall {
  readonly path: string
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** The header that pays for a call, made from its quote. */
export async function payFor({ transcript, sandbox }: Cast, call: PaidCall): Promise<string> {
  const quote = await transcript.call({ actor: "PAYER", method: "POST", ...call, status: 402 })
  const [terms] = (quote.body?.["accepts"] ?? []) as unknown as PaymentRequirements[]
  if (!terms) throw new Error("the quote has no terms")
  return signPayment(sandbox.chain, terms, sandbox.machine)
}

export async function presentPayment(
  { transcript }: Cast,
  { headers = {}, ...call }: PaidCall,
  payment: string,
  status: 200 | 202,
): Promise<SandboxAnswer> {
  const paid = { ...headers, "payment-signature": payment }
  return transcript.call({ actor: "PAYER", method: "POST", ...call, headers: paid, status })
}

/** The owner asks again for what it acquired, with a fresh signature. */
export async function recover(
  { transcript, sandbox, agentKeys }: Cast,
  request: DecisionRequest,
  status: 200 | 202 | 400,
  headers: Readonly<Record<string, string>> = {},
): Promise<SandboxAnswer> {
  const key = signingKey(agentKeys.operational)
  const body = recoveryRequest(request, key, SANDBOX_BASE_URL, sandbox.machine)
  return transcript.call({
    actor: "AGENT",
    method: "POST",
    path: `${PAYMENT_DECISION_PATH}/recover`,
    headers,
    body,
    status,
  })
}

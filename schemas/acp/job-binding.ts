import { type Static, Type } from "@sinclair/typebox"
import { closed, RequirementDigest } from "../common.ts"
import { BASE_NETWORK } from "../network.ts"
import { PAYMENT_INTENT } from "../us/covered.ts"
import { PAYMENT_DECISION_PRICE, RequestingAgent } from "../us/payment-decision.ts"
import { JobId, LowerCaseAddress, OfferingId, TargetJob } from "./job.ts"
import { ACP_CHAIN_ID, ACP_OFFERING_NAME, JOB_BINDING_TYPE } from "./terms.ts"

const { agent_id, key_id } = RequestingAgent.properties

/**
 * What `buyer_authorization.signature` covers: the canonical bytes of this form (Interface, "Agent-commerce (ACP) purchase channel", step
 * 5). It is never sent: both sides make it from the requirement and the job.
 * CHOICE: beyond the interface's list it names the signer (`agent_id`, `key_id`).
 */
export const JobBinding = closed({
  type: Type.Literal(JOB_BINDING_TYPE),
  canonicalization: Type.Literal("SVC-C14N-JSON-1"),
  chain_id: Type.Literal(ACP_CHAIN_ID),
  on_chain_job_id: JobId,
  acp_client_address: LowerCaseAddress,
  provider_address: LowerCaseAddress,
  offering_id: OfferingId,
  offering_name: Type.Literal(ACP_OFFERING_NAME),
  requirement_digest: RequirementDigest,
  purchase_purpose: Type.Literal(PAYMENT_INTENT),
  price_atomic: Type.Literal(PAYMENT_DECISION_PRICE.amount_atomic),
  asset: Type.Literal(PAYMENT_DECISION_PRICE.asset),
  network: Type.Literal(BASE_NETWORK),
  agent_id,
  key_id,
  /** As in the requirement, also in the case of its addresses. */
  target_job: Type.Optional(TargetJob),
})
export type JobBinding = Static<typeof JobBinding>

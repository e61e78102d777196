/**
 * The requirement of an ACP job, envelope version 4. The draft goes into the job when it is created. The final requirement is the draft with
 * the agent's signature over the job binding.
 * CHOICE: the interface names the version and what the binding covers, not the members.
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, EvmAddress, signatureOver } from "../common.ts"
import { BASE_NETWORK } from "../network.ts"
import { PAYMENT_INTENT } from "../us/covered.ts"
import { DecisionRequest, PAYMENT_DECISION_PRICE, PAYMENT_DECISION_PRODUCT } from "../us/payment-decision.ts"
import { OfferingId, TargetJob } from "./job.ts"
import { ACP_ASSET_ADDRESS, ACP_CHANNEL_PATTERN, ACP_OFFERING_NAME, ACP_REQUIREMENT_TYPE } from "./terms.ts"

export const AcpChannel = Type.String({ pattern: ACP_CHANNEL_PATTERN, description: "Slug of the ACP channel" })
/** Covers the job binding of the final requirement. */
const BuyerAuthorization = closed({
  algorithm: Type.Literal("Ed25519"),
  signature: signatureOver("C14N of the job binding, which is never sent (JOB_BINDING)"),
})

const requirementMembers = {
  envelope_version: Type.Literal(4),
  type: Type.Literal(ACP_REQUIREMENT_TYPE),
  channel: AcpChannel,
  product: Type.Literal(PAYMENT_DECISION_PRODUCT),
  offering: closed({
    id: OfferingId,
    name: Type.Literal(ACP_OFFERING_NAME),
    provider_address: EvmAddress,
    escrow_contract: EvmAddress,
  }),
  purchase: closed({
    purpose: Type.Literal(PAYMENT_INTENT),
    price: Type.Literal(PAYMENT_DECISION_PRICE.amount),
    price_atomic: Type.Literal(PAYMENT_DECISION_PRICE.amount_atomic),
    asset: Type.Literal(PAYMENT_DECISION_PRICE.asset),
    asset_address: Type.Literal(ACP_ASSET_ADDRESS),
    network: Type.Literal(BASE_NETWORK),
  }),
  request: DecisionRequest,
  target_job: Type.Optional(TargetJob),
}

export const AcpRequirementDraft = closed({ ...requirementMembers, buyer_authorization: Type.Null() })
export type AcpRequirementDraft = Static<typeof AcpRequirementDraft>

export const AcpRequirement = closed({ ...requirementMembers, buyer_authorization: BuyerAuthorization })
export type AcpRequirement = Static<typeof AcpRequirement>

/** Draft or final requirement: what the offering accepts. */
export const AcpOfferingRequirement = closed({
  ...requirementMembers,
  buyer_authorization: Type.Union([BuyerAuthorization, Type.Null()]),
})

import { TypeCompiler } from "@sinclair/typebox/compiler"
import { AcpRequirementDraft } from "../../schemas/acp/requirement.ts"
import { ACP_ASSET_ADDRESS, ACP_OFFERING_NAME, ACP_REQUIREMENT_TYPE } from "../../schemas/acp/terms.ts"
import { BASE_NETWORK } from "../../schemas/network.ts"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import {
  type DecisionRequest,
  PAYMENT_DECISION_PRICE,
  PAYMENT_DECISION_PRODUCT,
} from "../../schemas/us/payment-decision.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { requireForm } from "./require-form.ts"

interface DraftParts {
  readonly request: DecisionRequest
  /** Slug of the ACP channel. */
  readonly channel: string
  readonly offeringId: string
  readonly providerAddress: string
  readonly escrowContract: string
  /** The supplier's own job. Checked here. */
  readonly targetJob?: JsonValue
}

/** Returns the requirement of a new ACP job, before its binding. Throws CommandError (2) that names the member that is wrong. */
export function jobDraft(parts: DraftParts): AcpRequirementDraft {
  const { amount: price, amount_atomic: price_atomic, asset } = PAYMENT_DECISION_PRICE
  const draft = {
    envelope_version: 4,
    type: ACP_REQUIREMENT_TYPE,
    channel: parts.channel,
    product: PAYMENT_DECISION_PRODUCT,
    offering: {
      id: parts.offeringId,
      name: ACP_OFFERING_NAME,
      provider_address: parts.providerAddress,
      escrow_contract: parts.escrowContract,
    },
    purchase: {
      purpose: PAYMENT_INTENT,
      price,
      price_atomic,
      asset,
      asset_address: ACP_ASSET_ADDRESS,
      network: BASE_NETWORK,
    },
    request: parts.request,
    ...(parts.targetJob === undefined ? {} : { target_job: parts.targetJob }),
    buyer_authorization: null,
  }
  return requireForm(TypeCompiler.Compile(AcpRequirementDraft), draft, "the draft was not made")
}

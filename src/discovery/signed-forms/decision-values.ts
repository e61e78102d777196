/** The values that a buyer of a Payment Decision signs, made with the test keys. They belong together: each digest is of its neighbour. */
import type { AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import {
  ACP_ASSET_ADDRESS,
  ACP_CHAIN_ID,
  ACP_CHANNEL_DEFAULT,
  ACP_ESCROW_CONTRACT,
  ACP_OFFERING_NAME,
  ACP_REQUIREMENT_TYPE,
} from "../../../schemas/acp/terms.ts"
import { BASE_NETWORK } from "../../../schemas/network.ts"
import { PAYMENT_INTENT } from "../../../schemas/us/covered.ts"
import {
  type DecisionRequest,
  PAYMENT_DECISION_PRICE,
  PAYMENT_DECISION_PRODUCT,
} from "../../../schemas/us/payment-decision.ts"
import { digestOf } from "../../core/digest.ts"
import { recoverySigningValue } from "../../core/forms/recovery-signing.ts"
import { jobBinding } from "../../core/jobs/job-binding.ts"
import { digestedRequirement } from "../../core/jobs/job-binding-members.ts"
import type { Signer } from "../../core/signer.ts"
import { digestedRequest, unsignedRequest } from "../../core/unsigned-request.ts"
import { decisionDraft, signedDecision } from "../../products/us/payment-decision/example.ts"
import { vendorChangeExample } from "../../products/us/vendor-change/example.ts"

/** Fixed, so that the bytes of the vectors never change. */
const CALL = { at: Date.UTC(2026, 10, 20, 10), key: "order-2026-0001" }
const RECOVERY = { issued_at: "2026-11-20T10:05:00Z", nonce: "example-nonce-0000000000000000000" }

interface DecisionSigners {
  readonly agent: Signer
  readonly mandate: Signer
  /** Base address of the service. */
  readonly audience: string
}

export function decisionValues({ agent, mandate, audience }: DecisionSigners) {
  const request = signedDecision(decisionDraft(CALL, agent), CALL.at, { agent, mandate })
  const { payload } = request.buyer_mandate
  const digested = digestedRequest(request)
  const requirement = jobRequirement(request)
  return {
    /** What each digest covers, for the table of digests. */
    digested: {
      request: digested,
      requirement: digestedRequirement(requirement),
      destination: { provider_namespace: BASE_NETWORK, type: "WALLET", value: request.payee.value.toLowerCase() },
    },
    values: {
      MANDATE: payload,
      DECISION_REQUEST: unsignedRequest(request),
      RECOVERY: recoverySigningValue(digestOf(digested), RECOVERY, audience),
      JOB_BINDING: jobBinding(requirement, {
        onChainJobId: "42",
        chainId: ACP_CHAIN_ID,
        clientAddress: request.decision_fee_payer,
        providerAddress: PROVIDER,
      }),
      VENDOR_CHANGE: unsignedRequest(vendorChangeExample(CALL, { audience, agent })),
    },
  }
}

const PROVIDER = `0x${"22".repeat(20)}`

function jobRequirement(request: DecisionRequest): AcpRequirementDraft {
  return {
    envelope_version: 4,
    type: ACP_REQUIREMENT_TYPE,
    channel: ACP_CHANNEL_DEFAULT,
    product: PAYMENT_DECISION_PRODUCT,
    offering: {
      id: "offering-1",
      name: ACP_OFFERING_NAME,
      provider_address: PROVIDER,
      escrow_contract: ACP_ESCROW_CONTRACT,
    },
    purchase: {
      purpose: PAYMENT_INTENT,
      price: PAYMENT_DECISION_PRICE.amount,
      price_atomic: PAYMENT_DECISION_PRICE.amount_atomic,
      asset: PAYMENT_DECISION_PRICE.asset,
      asset_address: ACP_ASSET_ADDRESS,
      network: BASE_NETWORK,
    },
    request,
    buyer_authorization: null,
  }
}

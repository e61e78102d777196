import type { MandatePayload } from "../../../../schemas/us/mandate.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRICE } from "../../../../schemas/us/payment-decision.ts"
import { mandateDigest, requestDigest, requestSigningBytes } from "../../../checks/policy/digests.ts"
import { digestOf } from "../../../core/digest.ts"
import { signWith } from "../../../core/ed25519.ts"
import { type Signer, signValue } from "../../../core/signer.ts"
import { formatInstant, HOUR, MINUTE } from "../../../core/time.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import {
  EXAMPLE_BUYER,
  EXAMPLE_COMPANY,
  EXAMPLE_INVOICE,
  exampleDestination,
  exampleFreshness,
} from "../example-members.ts"

export type DecisionDraft = Omit<DecisionRequest, "buyer_mandate">

/** Everything except the mandate. `request_signature` is still missing. */
export function decisionDraft({ at, key }: ExampleCall, agent: Pick<Signer, "issuer" | "keyId">): DecisionDraft {
  return {
    schema_version: "1.0.0",
    intent: "RELEASE_PAYMENT_TO_SUPPLIER",
    decision_fee_payer: `0x${"11".repeat(20)}`,
    idempotency_key: key,
    requesting_agent: { agent_id: agent.issuer, key_id: agent.keyId, request_signature: "unsigned" },
    buyer: EXAMPLE_BUYER,
    supplier: {
      entity_id: "supplier:example-1",
      legal_name: EXAMPLE_COMPANY.legal_name,
      identifiers: { lei: "5493001KJTIIGC8Y1R12", ...EXAMPLE_COMPANY.identifiers },
    },
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
    invoice: EXAMPLE_INVOICE,
    amount: "12500.00",
    currency: "USD",
    payee: exampleDestination(),
    payment_destination: exampleDestination(),
    payment_instruction_digest: digestOf("instruction 42"),
    economic_purpose: "Calibration instruments, November",
    risk_policy: { policy_id: "buyer-default", tolerance: "MEDIUM" },
    coverage_requirements: { jurisdiction: "US", coverage: "FEDERAL_ONLY" },
    freshness_requirements: exampleFreshness(at),
    disclosure: { profile: "MINIMAL", audience_digest: null },
    evidence_references: [],
    correlation: { correlation_id: "corr-1", trace_id: "trace-1" },
    payment_exposure_usdc_equivalent_atomic: "12500000000",
    exposure_valuation_basis: "USD at par with USDC",
  }
}

interface DecisionSigners {
  readonly agent: Pick<Signer, "privateKey">
  /** Its issuer and key id are those of the mandate. */
  readonly mandate: Signer
}

/** Returns the draft with a mandate that is bound to it and valid for two hours from `at`, and with both signatures. */
export function signedDecision(
  draft: DecisionDraft,
  at: number,
  { agent, mandate }: DecisionSigners,
  changes: Partial<MandatePayload> = {},
): DecisionRequest {
  // The request digest leaves out the mandate, so a placeholder does not change it.
  const digest = requestDigest({ ...draft, buyer_mandate: {} as DecisionRequest["buyer_mandate"] })
  const payload: MandatePayload = {
    schema_version: "1.0.0",
    mandate_id: "mandate-2026-0001",
    mandate_version: "1.0.0",
    issuer: mandate.issuer,
    subject_agent_id: draft.requesting_agent.agent_id,
    buyer_organization: draft.buyer.organization_id,
    buyer_organization_digest: draft.buyer.organization_digest,
    supplier_entity_id: draft.supplier.entity_id,
    key_id: mandate.keyId,
    request_digest: digest,
    payee_fingerprint: draft.payee.fingerprint,
    permitted_intent: "RELEASE_PAYMENT_TO_SUPPLIER",
    max_payment_amount: "20000",
    currency: draft.currency,
    max_decision_fee_atomic: PAYMENT_DECISION_PRICE.amount_atomic,
    valid_from: formatInstant(at - MINUTE),
    valid_until: formatInstant(at + 2 * HOUR),
    nonce: "mandate-nonce-0000000001",
    revocation_reference: "https://buyer.example/mandates/1",
    ...changes,
  }
  const buyer_mandate = { payload, mandate_digest: mandateDigest(payload), signature: signValue(mandate, payload) }
  const request = { ...draft, buyer_mandate }
  const request_signature = signWith(agent.privateKey, requestSigningBytes(request))
  return { ...request, requesting_agent: { ...request.requesting_agent, request_signature } }
}

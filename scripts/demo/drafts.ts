/** What the buyer's people write before anything is signed: one draft for each thing that can happen. */
import { digestOf } from "../../src/core/digest.ts"

export interface BuyerParty {
  readonly organizationId: string
  readonly organizationDigest: string
  /** Wallet that pays the decision fee. */
  readonly payer: string
}

interface DraftOptions {
  readonly obligation: string
  readonly supplier?: {
    readonly entity_id: string
    readonly legal_name: string
    readonly identifiers: Record<string, string>
  }
  /** Wallet the supplier is to be paid at. */
  readonly wallet?: string
  readonly maxAgeSeconds?: number
}

const SUPPLIER = {
  entity_id: "supplier:harbor-light",
  legal_name: "Harbor Light Instruments LLC",
  identifiers: { lei: "5493001KJTIIGC8Y1R12", uei: "ZQGGHJH74DW7" },
}
const SUPPLIER_WALLET = `0x${"A1".repeat(20)}`
export const OTHER_WALLET = `0x${"B2".repeat(20)}`
/** Two days: the publishers' lists change once a day at most. */
const MAX_AGE_SECONDS = 172_800

export function listedSupplier(legalName: string) {
  return { entity_id: "supplier:listed", legal_name: legalName, identifiers: { cage: "7ZZZ9" } }
}

/** HIGH tolerance: with MEDIUM a first payment to a destination is ALLOW_WITH_CONDITIONS. */
export function draftFor(buyer: BuyerParty, options: DraftOptions): Record<string, unknown> {
  const { obligation, supplier = SUPPLIER, wallet = SUPPLIER_WALLET, maxAgeSeconds = MAX_AGE_SECONDS } = options
  const destination = { type: "WALLET", value: wallet, provider_namespace: "eip155:8453" }
  return {
    decision_fee_payer: buyer.payer,
    idempotency_key: `demo-${obligation}`,
    buyer: { organization_id: buyer.organizationId, organization_digest: buyer.organizationDigest },
    supplier,
    invoice: { obligation_id: obligation, document_digest: digestOf(`document of ${obligation}`) },
    amount: "12500.00",
    currency: "USD",
    payee: destination,
    payment_destination: destination,
    payment_instruction_digest: digestOf(`instruction of ${obligation}`),
    economic_purpose: "Calibration instruments",
    risk_policy: { policy_id: "buyer-default", tolerance: "HIGH" },
    freshness_requirements: { max_age_seconds: maxAgeSeconds },
    correlation: { correlation_id: `demo-${obligation}`, trace_id: `demo-${obligation}` },
    payment_exposure_usdc_equivalent_atomic: "12500000000",
    exposure_valuation_basis: "USD at par with USDC",
  }
}

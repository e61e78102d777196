/** The buyer's unsigned drafts: one for each outcome. */
import { BASE_NETWORK } from "../../schemas/network.ts"
import { digestOf } from "../../src/core/digest.ts"
import { formatInstant, HOUR } from "../../src/core/time.ts"
import { SAMPLE_COMPANY } from "../../test/fixtures/sample-uk-register.ts"

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
  /** Wallet to which the supplier is paid. */
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
/** Two days, because the publishers' lists change at most once a day. */
const MAX_AGE_SECONDS = 172_800

export function listedSupplier(legalName: string) {
  return { entity_id: "supplier:listed", legal_name: legalName, identifiers: { cage: "7ZZZ9" } }
}

/** Tolerance HIGH, because with MEDIUM a first payment to a destination is ALLOW_WITH_CONDITIONS. */
export function draftFor(buyer: BuyerParty, options: DraftOptions): Record<string, unknown> {
  const { obligation, supplier = SUPPLIER, wallet = SUPPLIER_WALLET, maxAgeSeconds = MAX_AGE_SECONDS } = options
  const destination = { type: "WALLET", value: wallet, provider_namespace: BASE_NETWORK }
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

/** `evaluatedAt` in milliseconds. */
export function companyCheckDraft(evaluatedAt: number) {
  return {
    schema_version: "1.0.0",
    idempotency_key: "demo-check-1",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
    company: { legal_name: SUPPLIER.legal_name, identifiers: SUPPLIER.identifiers },
    freshness_requirements: { max_age_seconds: MAX_AGE_SECONDS, evaluated_at: formatInstant(evaluatedAt) },
    correlation: { correlation_id: "demo-check-1", trace_id: "demo-check-1" },
  }
}

export const UK_PAYEE = digestOf("account of the UK supplier")
export const UK_OTHER_PAYEE = digestOf("other account of the UK supplier")

/** A payment to the sample company. The caller has the bank's confirmation of the payee. `at` is in milliseconds. */
export function ukPaymentDraft(at: number) {
  const { number: company_number, name } = SAMPLE_COMPANY
  return {
    company_number,
    supplier: { company_number, policy_id: "GB_BUSINESS_PAYMENT_V1" },
    invoice: { company_number, invoice_company_name: name },
    payee: {
      company_number,
      payee_fingerprint: UK_PAYEE,
      binding_evidence: attested("CONFIRMATION_OF_PAYEE", "demo-confirmation-1", at),
    },
    amount: "1250.00",
    currency: "GBP",
    idempotency_key: "demo-uk-payment-1",
  }
}

/** The supplier asks for payment to another destination, and was called back at the number known before. `prior` is an execution id. */
export function ukChangeDraft(prior: string, at: number) {
  return {
    company_number: SAMPLE_COMPANY.number,
    current_payee_fingerprint: UK_PAYEE,
    proposed_payee_fingerprint: UK_OTHER_PAYEE,
    prior_authorization_reference: prior,
    challenge: attested("CALL_BACK_TO_KNOWN_NUMBER", "demo-call-back-1", at),
    idempotency_key: "demo-uk-change-1",
  }
}

function attested(type: string, reference: string, at: number) {
  return { type, verified_at: formatInstant(at), valid_until: formatInstant(at + 12 * HOUR), reference }
}

import { type Static, Type } from "@sinclair/typebox"
import {
  Correlation,
  Currency,
  closed,
  DateTime,
  digestOver,
  EvmAddress,
  enumeration,
  InstructionDigest,
  InvoiceDigest,
  OrganizationDigest,
  PaidAmount,
} from "../common.ts"
import { ONE_OF, USE } from "../hints.ts"
import { text, textMap } from "../text.ts"
import { Coverage, Intent, Jurisdiction } from "./covered.ts"
import { BuyerMandate } from "./mandate.ts"

export const PAYMENT_DECISION_PRODUCT = "decision-gate.release-payment-to-supplier.v1"
/** Price of a delivered decision: decimal USDC, and its millionths as on the chain. */
export const PAYMENT_DECISION_PRICE = { amount: "0.79", amount_atomic: "790000", asset: "USDC" } as const
export const PAYMENT_DECISION_PATH = "/v1/us/decision-gates/release-payment-to-supplier"

/** CHOICE: strings without a limit in the interface get the length of a mandate's identifier. */
const Name = text(1, 160)
/** An id that the caller chooses and that the service does not interpret. */
const OpaqueId = text(1, 512)

/** `request_signature` has no pattern: a malformed one is an invalid signature (403), not a schema error. */
export const RequestingAgent = closed({
  agent_id: Name,
  key_id: Name,
  request_signature: text(1, 512, {
    description: "Ed25519 in base64url over C14N of the body without this member",
  }),
})

export const Buyer = closed({
  organization_id: Name,
  organization_digest: OrganizationDigest,
})

/** Names of the identifiers of which a request needs one with a valid value. */
export const SUPPORTED_IDENTIFIERS = ["cage", "cik", "lei", "uei"] as const

/** The checks, not the schema, decide which names are known. */
export const SupplierIdentifiers: ReturnType<typeof textMap> = Object.assign(textMap(32, 160), {
  [ONE_OF]: SUPPORTED_IDENTIFIERS,
})
export type SupplierIdentifiers = Static<typeof SupplierIdentifiers>

/** A legal name above the screening limit of 350 characters could be screened only in part, so it is rejected. */
export const Supplier = closed({
  entity_id: Name,
  legal_name: Type.Optional(text(1, 350, { [USE]: "PROSE" })),
  identifiers: SupplierIdentifiers,
})
export type Supplier = Static<typeof Supplier>

export const Invoice = closed({
  obligation_id: OpaqueId,
  document_digest: InvoiceDigest,
})
export type Invoice = Static<typeof Invoice>

const DestinationType = enumeration(
  "X402_PAYTO",
  "WALLET",
  "MERCHANT_RESOURCE",
  "PAYOUT_DESTINATION_TOKEN",
  "PROVIDER_ACCOUNT_TOKEN",
)

/** Schema of both `payee` and `payment_destination`. */
export const Destination = closed({
  type: DestinationType,
  value: text(1, 512, { [USE]: "ACCOUNT" }),
  provider_namespace: Type.Optional(Name),
  fingerprint: digestOver(
    "C14N of {provider_namespace, type, value}: null for an absent namespace, an EVM address in lower case",
  ),
})
export type Destination = Static<typeof Destination>

export const Tolerance = enumeration("LOW", "MEDIUM", "HIGH")
export type Tolerance = Static<typeof Tolerance>

export const RiskPolicy = closed({ policy_id: OpaqueId, tolerance: Tolerance })

export const CoverageRequirements = closed({ jurisdiction: Jurisdiction, coverage: Coverage })

export const FreshnessRequirements = closed({
  max_age_seconds: Type.Integer({ minimum: 1, maximum: 604_800 }),
  evaluated_at: DateTime,
})

/** The request members, shared with the recovery and eligibility requests. */
export const decisionRequestMembers = {
  schema_version: Type.Literal("1.0.0"),
  intent: Intent,
  decision_fee_payer: EvmAddress,
  idempotency_key: text(8, 120),
  requesting_agent: RequestingAgent,
  buyer: Buyer,
  buyer_mandate: BuyerMandate,
  supplier: Supplier,
  jurisdiction: Jurisdiction,
  coverage: Coverage,
  invoice: Invoice,
  amount: PaidAmount,
  currency: Currency,
  payee: Destination,
  payment_destination: Destination,
  payment_instruction_digest: InstructionDigest,
  economic_purpose: text(3, 300, { [USE]: "PROSE" }),
  risk_policy: RiskPolicy,
  coverage_requirements: CoverageRequirements,
  freshness_requirements: FreshnessRequirements,
  disclosure: closed({
    profile: OpaqueId,
    audience_digest: Type.Union([
      digestOver("what the caller names its audience by; kept and never recomputed, or null"),
      Type.Null(),
    ]),
  }),
  evidence_references: Type.Array(
    digestOver("an earlier answer of this service, as it names its response or core digest"),
    { maxItems: 128 },
  ),
  correlation: Correlation,
  payment_exposure_usdc_equivalent_atomic: text(1, 78, { pattern: "^[1-9][0-9]*$" }),
  exposure_valuation_basis: text(3, 240, { [USE]: "PROSE" }),
}

/** Interface, "Payment Decision request". */
export const DecisionRequest = closed(decisionRequestMembers, { $id: "DecisionRequest" })
export type DecisionRequest = Static<typeof DecisionRequest>

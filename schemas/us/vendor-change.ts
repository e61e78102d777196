/** US vendor payment-detail change (design of decisions, "The six US operations"; rulings 48). Every member is required. */
import { type Static, Type } from "@sinclair/typebox"
import { businessAnswer, UsAnswerCoverage } from "../business-answer.ts"
import { ChangeChallenge, EvidenceReference } from "../caller-evidence.ts"
import { ChangeFacts, ChangeState } from "../change-facts.ts"
import { closed, DateTime, PayeeFingerprint } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { text } from "../text.ts"
import { usFactsMembers } from "./operation-facts.ts"
import { usOperationMembers } from "./operation-request.ts"
import { Buyer, RequestingAgent } from "./payment-decision.ts"

export const VENDOR_CHANGE_PRODUCT = "us.vendor.payment_detail_change.authorize.v1"

/** Members of the body. `request_signature` signs C14N of all of them except itself. */
export const vendorChangeMembers = {
  ...usOperationMembers,
  /** Separates the signed bytes from those of every other form (rulings 3). */
  domain: Type.Literal("svc.us-vendor-change.v1"),
  /** Base address of the service for which it is signed. */
  audience: text(1, 255),
  buyer: Buyer,
  requesting_agent: RequestingAgent,
  /** Null for the vendor's first payee. Then no earlier authorization is named. */
  current_payee_fingerprint: Type.Union([PayeeFingerprint, Type.Null()]),
  proposed_payee_fingerprint: PayeeFingerprint,
  prior_authorization_reference: Type.Union([EvidenceReference, Type.Null()]),
  challenge: ChangeChallenge,
} as const

export const VendorChangeRequest = closed(vendorChangeMembers, { $id: "VendorChangeRequest" })
export type VendorChangeRequest = Static<typeof VendorChangeRequest>

export const VendorChangeResult = closed({
  /** Strongest checked identifier of the vendor. A redeemer of the token repeats it. */
  supplier_key: Type.String(),
  change_state: ChangeState,
  proposed_payee_fingerprint: PayeeFingerprint,
  /** Empty if no token was issued; then a limitation says so. */
  authorization_token: Type.String(),
  single_use: Type.Boolean(),
  revocable: Type.Boolean(),
})
export type VendorChangeResult = Static<typeof VendorChangeResult>

export const VendorChangeFacts = closed({
  ...usFactsMembers,
  change: ChangeFacts,
  /** The delegation that allowed the signing key, as checked in the reserving transaction. */
  delegation: closed({ delegation_id: Type.String(), valid_until: DateTime }),
})
export type VendorChangeFacts = Static<typeof VendorChangeFacts>

export const VendorChangeAnswer = businessAnswer(VENDOR_CHANGE_PRODUCT, UsAnswerCoverage, VendorChangeResult)

/** The documents that offline verification reads. */
export const vendorChangeSchemas = {
  request: VendorChangeRequest,
  facts: VendorChangeFacts,
  answer: VendorChangeAnswer,
}

export const authorizeVendorChange = paidOperation({
  id: "us_vendor_payment_detail_change_authorize",
  path: "/v1/us/vendors/payment-details/authorize-change",
  summary:
    "Authorize a change of where a US vendor is paid, signed for an organization, on a fresh independent challenge",
  body: VendorChangeRequest,
  answer: VendorChangeAnswer,
  price: "0.15",
  product: {
    id: VENDOR_CHANGE_PRODUCT,
    solution: "vendor-change-continuous-authorization",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
  },
  intent: {
    name: "AUTHORIZE_US_VENDOR_PAYMENT_DETAIL_CHANGE",
    notFor: ["MOVING_MONEY", "RAW_BANK_DATA"],
    planning: ["AGENT", "DELEGATION"],
  },
})

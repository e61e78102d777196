/** UK vendor payment-detail change (Interface, "UK vendor payment-detail change request"). Every member is required. */
import { type Static, Type } from "@sinclair/typebox"
import { businessAnswer, GbCoverage } from "../business-answer.ts"
import { payeeChangeMembers } from "../caller-evidence.ts"
import { ChangeFacts, ChangeState } from "../change-facts.ts"
import { closed, PayeeFingerprint } from "../common.ts"
import { paidOperation } from "../paid-operation.ts"
import { text } from "../text.ts"
import { CompanyNumber } from "./company-number.ts"
import { gbFactsMembers } from "./supplier-facts.ts"

export const GB_VENDOR_CHANGE_PRODUCT = "gb.vendor.payment_detail_change.authorize.v1"

export const GbVendorChangeRequest = closed(
  {
    company_number: CompanyNumber,
    ...payeeChangeMembers,
    idempotency_key: text(8, 120),
  },
  { $id: "GbVendorChangeRequest" },
)
export type GbVendorChangeRequest = Static<typeof GbVendorChangeRequest>

export const GbVendorChangeResult = closed({
  company_number: Type.String(),
  change_state: ChangeState,
  proposed_payee_fingerprint: PayeeFingerprint,
  /** Empty if no token was issued; then a limitation says so. */
  authorization_token: Type.String(),
  single_use: Type.Boolean(),
  revocable: Type.Boolean(),
})
export type GbVendorChangeResult = Static<typeof GbVendorChangeResult>

export const GbVendorChangeFacts = closed({ ...gbFactsMembers, change: ChangeFacts })
export type GbVendorChangeFacts = Static<typeof GbVendorChangeFacts>

export const GbVendorChangeAnswer = businessAnswer(GB_VENDOR_CHANGE_PRODUCT, GbCoverage, GbVendorChangeResult)

/** The documents that offline verification reads. */
export const gbVendorChangeSchemas = {
  request: GbVendorChangeRequest,
  facts: GbVendorChangeFacts,
  answer: GbVendorChangeAnswer,
}

export const authorizeGbVendorChange = paidOperation({
  id: "gb_vendor_payment_detail_change_authorize",
  path: "/v1/gb/vendors/authorize-payment-detail-change",
  summary: "Authorize a change of where a UK company is paid, on a fresh independent challenge",
  body: GbVendorChangeRequest,
  answer: GbVendorChangeAnswer,
  price: "0.15",
  product: {
    id: GB_VENDOR_CHANGE_PRODUCT,
    solution: null,
    jurisdiction: "GB",
    coverage: "COMPANIES_HOUSE_REGISTERED_ENTITIES",
  },
  intent: {
    name: "AUTHORIZE_GB_VENDOR_PAYMENT_DETAIL_CHANGE",
    notFor: ["MOVING_MONEY", "SOLE_TRADERS", "RAW_BANK_DATA"],
  },
})

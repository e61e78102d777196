import { eligibilityOperation } from "./eligibility.ts"
import { authorizeGbPayment } from "./gb/payment.ts"
import { authorizeGbVendorChange } from "./gb/vendor-change.ts"
import { checkCompany } from "./us/company-check.ts"
import { verifyPayee } from "./us/payee-verification.ts"
import { authorizePayment } from "./us/payment-authorization.ts"
import { approveSupplier } from "./us/supplier-approval.ts"
import { authorizeVendorChange } from "./us/vendor-change.ts"
import { continueVendorAuthorization } from "./us/vendor-continuation.ts"

/** What an agent knows early about a company and its payment. */
const usExample = {
  schema_version: "1.0.0",
  jurisdiction: "US",
  coverage: "FEDERAL_ONLY",
  company: { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } },
} as const
const gbExample = { company_number: "01234567", amount: "1250.00", currency: "GBP" } as const

export const checkCompanyEligibility = eligibilityOperation(checkCompany, usExample)
export const approveSupplierEligibility = eligibilityOperation(approveSupplier, usExample)
export const verifyPayeeEligibility = eligibilityOperation(verifyPayee, usExample)
export const authorizePaymentEligibility = eligibilityOperation(authorizePayment, usExample)
export const authorizeVendorChangeEligibility = eligibilityOperation(authorizeVendorChange, usExample)
export const continueVendorAuthorizationEligibility = eligibilityOperation(continueVendorAuthorization, usExample)
export const authorizeGbPaymentEligibility = eligibilityOperation(authorizeGbPayment, gbExample)
export const authorizeGbVendorChangeEligibility = eligibilityOperation(authorizeGbVendorChange, {
  company_number: gbExample.company_number,
})

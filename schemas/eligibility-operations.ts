import { eligibilityOperation } from "./eligibility.ts"
import { authorizeGbPayment } from "./gb/payment.ts"
import { authorizeGbVendorChange } from "./gb/vendor-change.ts"
import { checkCompany } from "./us/company-check.ts"
import { verifyPayee } from "./us/payee-verification.ts"
import { authorizePayment } from "./us/payment-authorization.ts"
import { approveSupplier } from "./us/supplier-approval.ts"
import { authorizeVendorChange } from "./us/vendor-change.ts"
import { continueVendorAuthorization } from "./us/vendor-continuation.ts"

export const checkCompanyEligibility = eligibilityOperation(checkCompany)
export const approveSupplierEligibility = eligibilityOperation(approveSupplier)
export const verifyPayeeEligibility = eligibilityOperation(verifyPayee)
export const authorizePaymentEligibility = eligibilityOperation(authorizePayment)
export const authorizeVendorChangeEligibility = eligibilityOperation(authorizeVendorChange)
export const continueVendorAuthorizationEligibility = eligibilityOperation(continueVendorAuthorization)
export const authorizeGbPaymentEligibility = eligibilityOperation(authorizeGbPayment)
export const authorizeGbVendorChangeEligibility = eligibilityOperation(authorizeGbVendorChange)

/** The contact routes of the eight products other than the Payment Decision. */
import { contactOperation } from "./contact.ts"
import { authorizeGbPayment } from "./gb/payment.ts"
import { authorizeGbVendorChange } from "./gb/vendor-change.ts"
import { checkCompany } from "./us/company-check.ts"
import { verifyPayee } from "./us/payee-verification.ts"
import { authorizePayment } from "./us/payment-authorization.ts"
import { approveSupplier } from "./us/supplier-approval.ts"
import { authorizeVendorChange } from "./us/vendor-change.ts"
import { continueVendorAuthorization } from "./us/vendor-continuation.ts"

export const checkCompanyContact = contactOperation(checkCompany)
export const approveSupplierContact = contactOperation(approveSupplier)
export const verifyPayeeContact = contactOperation(verifyPayee)
export const authorizePaymentContact = contactOperation(authorizePayment)
export const authorizeVendorChangeContact = contactOperation(authorizeVendorChange)
export const continueVendorAuthorizationContact = contactOperation(continueVendorAuthorization)
export const authorizeGbPaymentContact = contactOperation(authorizeGbPayment)
export const authorizeGbVendorChangeContact = contactOperation(authorizeGbVendorChange)

/** The contact row of each product beside the Payment Decision, and its paid row. */
export const CONTACT_PRODUCTS = [
  [checkCompanyContact, checkCompany],
  [approveSupplierContact, approveSupplier],
  [verifyPayeeContact, verifyPayee],
  [authorizePaymentContact, authorizePayment],
  [authorizeVendorChangeContact, authorizeVendorChange],
  [continueVendorAuthorizationContact, continueVendorAuthorization],
  [authorizeGbPaymentContact, authorizeGbPayment],
  [authorizeGbVendorChangeContact, authorizeGbVendorChange],
] as const

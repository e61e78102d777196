/** The schemas of each product's documents, without its decision, so that a browser can read a document. */
import { GB_PAYMENT_PRODUCT, gbPaymentSchemas } from "../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT, gbVendorChangeSchemas } from "../../schemas/gb/vendor-change.ts"
import { COMPANY_CHECK_PRODUCT, companyCheckSchemas } from "../../schemas/us/company-check.ts"
import { PAYEE_VERIFICATION_PRODUCT, payeeVerificationSchemas } from "../../schemas/us/payee-verification.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT, paymentAuthorizationSchemas } from "../../schemas/us/payment-authorization.ts"
import { SUPPLIER_APPROVAL_PRODUCT, supplierApprovalSchemas } from "../../schemas/us/supplier-approval.ts"
import { VENDOR_CHANGE_PRODUCT, vendorChangeSchemas } from "../../schemas/us/vendor-change.ts"
import { VENDOR_CONTINUATION_PRODUCT, vendorContinuationSchemas } from "../../schemas/us/vendor-continuation.ts"
import type { AnswerForm } from "../offline/kinds/answer-form.ts"

export const ANSWER_SCHEMAS: readonly Omit<AnswerForm, "policies">[] = [
  { id: COMPANY_CHECK_PRODUCT, schemas: companyCheckSchemas },
  { id: PAYEE_VERIFICATION_PRODUCT, schemas: payeeVerificationSchemas },
  { id: PAYMENT_AUTHORIZATION_PRODUCT, schemas: paymentAuthorizationSchemas },
  { id: SUPPLIER_APPROVAL_PRODUCT, schemas: supplierApprovalSchemas },
  { id: VENDOR_CHANGE_PRODUCT, schemas: vendorChangeSchemas },
  { id: VENDOR_CONTINUATION_PRODUCT, schemas: vendorContinuationSchemas },
  { id: GB_PAYMENT_PRODUCT, schemas: gbPaymentSchemas },
  { id: GB_VENDOR_CHANGE_PRODUCT, schemas: gbVendorChangeSchemas },
]

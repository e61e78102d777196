/** The eight products other than the Payment Decision, for verification, replay and the printed policies. One line each. */

import type { AnyBusinessAnswerRules } from "../products/common/answer-rules.ts"
import { gbPaymentRules } from "../products/gb/payment/rules.ts"
import { gbVendorChangeRules } from "../products/gb/vendor-change/rules.ts"
import { companyCheckRules } from "../products/us/company-check/rules.ts"
import { payeeVerificationRules } from "../products/us/payee-verification/rules.ts"
import { paymentAuthorizationRules } from "../products/us/payment-authorization/rules.ts"
import { supplierApprovalRules } from "../products/us/supplier-approval/rules.ts"
import { vendorChangeRules } from "../products/us/vendor-change/rules.ts"
import { vendorContinuationRules } from "../products/us/vendor-continuation/rules.ts"

export const ANSWER_RULES: readonly AnyBusinessAnswerRules[] = [
  companyCheckRules,
  supplierApprovalRules,
  payeeVerificationRules,
  paymentAuthorizationRules,
  vendorChangeRules,
  vendorContinuationRules,
  gbPaymentRules,
  gbVendorChangeRules,
]

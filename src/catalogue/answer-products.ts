/** The eight products other than the Payment Decision, built once at start. One row each: its two operations and its implementation. */

import type { TSchema } from "@sinclair/typebox"
import {
  approveSupplierEligibility,
  authorizeGbPaymentEligibility,
  authorizeGbVendorChangeEligibility,
  authorizePaymentEligibility,
  authorizeVendorChangeEligibility,
  checkCompanyEligibility,
  continueVendorAuthorizationEligibility,
  verifyPayeeEligibility,
} from "../../schemas/eligibility-operations.ts"
import { authorizeGbPayment } from "../../schemas/gb/payment.ts"
import { authorizeGbVendorChange } from "../../schemas/gb/vendor-change.ts"
import type { Operation } from "../../schemas/operation.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { verifyPayee } from "../../schemas/us/payee-verification.ts"
import { authorizePayment } from "../../schemas/us/payment-authorization.ts"
import { approveSupplier } from "../../schemas/us/supplier-approval.ts"
import { authorizeVendorChange } from "../../schemas/us/vendor-change.ts"
import { continueVendorAuthorization } from "../../schemas/us/vendor-continuation.ts"
import { requirePaidHeaders } from "../http/paid-headers.ts"
import type { AnyBusinessAnswerProduct } from "../products/common/answer-product.ts"
import type { AnswerSlice } from "../products/common/answer-route.ts"
import { type AnswerDeps, paidAnswer } from "../products/common/paid-answer.ts"
import { gbPayment } from "../products/gb/payment/product.ts"
import type { GbSources } from "../products/gb/supplier-sources.ts"
import { gbVendorChange } from "../products/gb/vendor-change/product.ts"
import { companyCheck } from "../products/us/company-check/product.ts"
import type { UsSources } from "../products/us/company-facts.ts"
import { payeeVerification } from "../products/us/payee-verification/product.ts"
import { paymentAuthorization } from "../products/us/payment-authorization/product.ts"
import { supplierApproval } from "../products/us/supplier-approval/product.ts"
import { vendorChange } from "../products/us/vendor-change/product.ts"
import { vendorContinuation } from "../products/us/vendor-continuation/product.ts"

export interface AnswerParts extends AnswerDeps {
  readonly us: UsSources
  readonly gb: GbSources
}

export function answerSlices(parts: AnswerParts): readonly AnswerSlice[] {
  const { machine, us, gb, baseUrl } = parts
  const slice = (
    operation: Operation<TSchema>,
    eligibility: Operation<TSchema>,
    product: AnyBusinessAnswerProduct,
  ): AnswerSlice => ({
    operation,
    eligibility,
    product,
    paid: paidAnswer(parts, product),
  })
  const ukSlice = (...given: Parameters<typeof slice>): AnswerSlice => ({
    ...slice(...given),
    requireHeaders: requirePaidHeaders,
  })
  return [
    slice(checkCompany, checkCompanyEligibility, companyCheck(machine, us)),
    slice(approveSupplier, approveSupplierEligibility, supplierApproval(us)),
    slice(verifyPayee, verifyPayeeEligibility, payeeVerification(us)),
    slice(authorizePayment, authorizePaymentEligibility, paymentAuthorization(us)),
    slice(authorizeVendorChange, authorizeVendorChangeEligibility, vendorChange({ ...us, baseUrl })),
    slice(continueVendorAuthorization, continueVendorAuthorizationEligibility, vendorContinuation(us)),
    ukSlice(authorizeGbPayment, authorizeGbPaymentEligibility, gbPayment(gb)),
    ukSlice(authorizeGbVendorChange, authorizeGbVendorChangeEligibility, gbVendorChange(gb)),
  ]
}

/** Every product as the service sells it, built once at start: each row of the list with its sources and records. */
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT } from "../../schemas/gb/vendor-change.ts"
import { ANSWER_OPERATIONS } from "../../schemas/product-operations.ts"
import type { AnswerProductId } from "../../schemas/products.ts"
import { COMPANY_CHECK_PRODUCT } from "../../schemas/us/company-check.ts"
import { PAYEE_VERIFICATION_PRODUCT } from "../../schemas/us/payee-verification.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../schemas/us/supplier-approval.ts"
import { VENDOR_CHANGE_PRODUCT } from "../../schemas/us/vendor-change.ts"
import { VENDOR_CONTINUATION_PRODUCT } from "../../schemas/us/vendor-continuation.ts"
import { requirePaidHeaders } from "../http/paid-headers.ts"
import type { AnyBusinessAnswerProduct } from "./common/answer-product.ts"
import { type AnswerDeps, answerRow } from "./common/answer-row.ts"
import { paidProduct } from "./common/paid-product.ts"
import type { ProductSlice } from "./common/product-route.ts"
import { gbPayment } from "./gb/payment/product.ts"
import type { GbSources } from "./gb/supplier-sources.ts"
import { gbVendorChange } from "./gb/vendor-change/product.ts"
import { companyCheck } from "./us/company-check/product.ts"
import type { UsSources } from "./us/company-facts.ts"
import { payeeVerification } from "./us/payee-verification/product.ts"
import { paymentAuthorization } from "./us/payment-authorization/product.ts"
import { type DecisionSliceDeps, paymentDecisionSlice } from "./us/payment-decision/slice.ts"
import { supplierApproval } from "./us/supplier-approval/product.ts"
import { vendorChange } from "./us/vendor-change/product.ts"
import { vendorContinuation } from "./us/vendor-continuation/product.ts"

interface SliceParts extends AnswerDeps {
  readonly us: UsSources
  readonly gb: GbSources
}

/** A product of the list without a line here does not compile. */
const IMPLEMENTATIONS: { readonly [Id in AnswerProductId]: (parts: SliceParts) => AnyBusinessAnswerProduct } = {
  [COMPANY_CHECK_PRODUCT]: ({ machine, us }) => companyCheck(machine, us),
  [SUPPLIER_APPROVAL_PRODUCT]: ({ us }) => supplierApproval(us),
  [PAYEE_VERIFICATION_PRODUCT]: ({ us }) => payeeVerification(us),
  [PAYMENT_AUTHORIZATION_PRODUCT]: ({ us }) => paymentAuthorization(us),
  [VENDOR_CHANGE_PRODUCT]: ({ us, baseUrl }) => vendorChange({ ...us, baseUrl }),
  [VENDOR_CONTINUATION_PRODUCT]: ({ us }) => vendorContinuation(us),
  [GB_PAYMENT_PRODUCT]: ({ gb }) => gbPayment(gb),
  [GB_VENDOR_CHANGE_PRODUCT]: ({ gb }) => gbVendorChange(gb),
}

/** In the order of `schemas/products.ts`. */
export function productSlices(parts: SliceParts): readonly ProductSlice[] {
  return [paymentDecisionSlice(decisionDeps(parts)), ...answerSlices(parts)]
}

/** Returns the slice of one product. Throws a TypeError if the list lacks it. */
export function sliceOf(slices: readonly ProductSlice[], id: string): ProductSlice {
  const slice = slices.find(({ product }) => product.id === id)
  if (!slice) throw new TypeError(`no product ${id} is sold`)
  return slice
}

function decisionDeps({ machine, signer, baseUrl, environment, us, entries = null }: SliceParts): DecisionSliceDeps {
  const { sources, registers, suppressions } = us
  return { machine, signer, baseUrl, environment, sources, registers, suppressions, entries }
}

function answerSlices(parts: SliceParts): readonly ProductSlice[] {
  return ANSWER_OPERATIONS.map(({ id, paid: operation, eligibility }) => {
    const product = answerRow(parts, IMPLEMENTATIONS[id](parts))
    return {
      operation,
      eligibility,
      product,
      paid: paidProduct(product, parts.signer, parts.entries),
      ...(product.country === "GB" && { requireHeaders: requirePaidHeaders }),
    }
  })
}

/**
 * THE list of products: a row for each, in the order of `schemas/products.ts`. A product of that file without a row here does not compile.
 * Verification, replay, the printed policies, published examples and the rehearsal are made from these rows.
 */
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT } from "../../schemas/gb/vendor-change.ts"
import { PRODUCT_OPERATIONS } from "../../schemas/product-operations.ts"
import type { AnswerProductId, ProductId } from "../../schemas/products.ts"
import { COMPANY_CHECK_PRODUCT } from "../../schemas/us/company-check.ts"
import { PAYEE_VERIFICATION_PRODUCT } from "../../schemas/us/payee-verification.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../schemas/us/supplier-approval.ts"
import { VENDOR_CHANGE_PRODUCT } from "../../schemas/us/vendor-change.ts"
import { VENDOR_CONTINUATION_PRODUCT } from "../../schemas/us/vendor-continuation.ts"
import { ANSWER_ROWS } from "../checks/policy/answer.ts"
import type { AnyBusinessAnswerRules } from "./common/answer-rules.ts"
import type { CoveredRefusal, ListedProduct } from "./common/listed-product.ts"
import { gbPaymentExample } from "./gb/payment/example.ts"
import { gbPaymentRules } from "./gb/payment/rules.ts"
import { gbVendorChangeExample } from "./gb/vendor-change/example.ts"
import { gbVendorChangeRules } from "./gb/vendor-change/rules.ts"
import { companyCheckExample } from "./us/company-check/example.ts"
import { companyCheckRules } from "./us/company-check/rules.ts"
import { payeeVerificationExample } from "./us/payee-verification/example.ts"
import { payeeVerificationRules } from "./us/payee-verification/rules.ts"
import { paymentAuthorizationExample } from "./us/payment-authorization/example.ts"
import { AUTHORIZATION_USED } from "./us/payment-authorization/policy.ts"
import { paymentAuthorizationRules } from "./us/payment-authorization/rules.ts"
import { ANSWER } from "./us/payment-decision/core-response.ts"
import { decisionDraft, signedDecision } from "./us/payment-decision/example.ts"
import { PAYMENT_DECISION_POLICIES } from "./us/payment-decision/policy.ts"
import { supplierApprovalExample } from "./us/supplier-approval/example.ts"
import { supplierApprovalRules } from "./us/supplier-approval/rules.ts"
import { vendorChangeExample } from "./us/vendor-change/example.ts"
import { vendorChangeRules } from "./us/vendor-change/rules.ts"
import { vendorContinuationExample } from "./us/vendor-continuation/example.ts"
import { vendorContinuationRules } from "./us/vendor-continuation/rules.ts"

/** A valid answer of these products is not sold twice (Interface, rule 8). */
const SOLD_ONCE: readonly CoveredRefusal[] = ["REUSABLE_DECISION_EXISTS", "OBLIGATION_ALREADY_AUTHORIZED"]

const US_COMPANY = ["/company/identifiers"] as const

const ROWS: {
  readonly [Id in ProductId]: ListedProduct & {
    readonly answer: Id extends AnswerProductId ? AnyBusinessAnswerRules : null
  }
} = {
  [PAYMENT_DECISION_PRODUCT]: {
    answer: null,
    policies: PAYMENT_DECISION_POLICIES,
    outcomes: ANSWER,
    refusals: SOLD_ONCE,
    refusalReasons: [],
    isSigned: true,
    party: ["/supplier/identifiers"],
    example: ({ call, agent, mandate }) => {
      const draft = decisionDraft(call, agent)
      return mandate ? signedDecision(draft, call.at, { agent, mandate }) : draft
    },
  },
  [COMPANY_CHECK_PRODUCT]: listedAnswer(companyCheckRules, {
    party: US_COMPANY,
    example: ({ call }) => companyCheckExample(call),
  }),
  [SUPPLIER_APPROVAL_PRODUCT]: listedAnswer(supplierApprovalRules, {
    party: US_COMPANY,
    example: ({ call }) => supplierApprovalExample(call),
  }),
  [PAYEE_VERIFICATION_PRODUCT]: listedAnswer(payeeVerificationRules, {
    party: US_COMPANY,
    example: ({ call }) => payeeVerificationExample(call),
  }),
  [PAYMENT_AUTHORIZATION_PRODUCT]: listedAnswer(paymentAuthorizationRules, {
    party: US_COMPANY,
    example: ({ call }) => paymentAuthorizationExample(call),
    refusals: SOLD_ONCE,
    refusalReasons: [
      {
        refusal: "OBLIGATION_ALREADY_AUTHORIZED",
        code: AUTHORIZATION_USED,
        why: "The token of the earlier authorization was redeemed: the obligation was paid on it.",
      },
    ],
  }),
  [VENDOR_CHANGE_PRODUCT]: listedAnswer(vendorChangeRules, {
    isSigned: true,
    party: US_COMPANY,
    example: ({ call, agent, audience }) => vendorChangeExample(call, { agent, audience }),
  }),
  [VENDOR_CONTINUATION_PRODUCT]: listedAnswer(vendorContinuationRules, {
    party: US_COMPANY,
    example: ({ call }) => vendorContinuationExample(call),
  }),
  [GB_PAYMENT_PRODUCT]: listedAnswer(gbPaymentRules, {
    party: ["/company_number", "/invoice/invoice_company_name"],
    example: ({ call, companyNumber }) => gbPaymentExample(call, companyNumber),
  }),
  [GB_VENDOR_CHANGE_PRODUCT]: listedAnswer(gbVendorChangeRules, {
    party: ["/company_number"],
    example: ({ call }) => gbVendorChangeExample(call),
  }),
}

/** A product that sells a business answer. `given` replaces what most of them have. */
function listedAnswer(
  answer: AnyBusinessAnswerRules,
  given: Pick<ListedProduct, "party" | "example"> & Partial<ListedProduct>,
): ListedProduct & { readonly answer: AnyBusinessAnswerRules } {
  const { policies } = answer
  return { policies, outcomes: ANSWER_ROWS, refusals: [], refusalReasons: [], isSigned: false, ...given, answer }
}

/** Every product: its row, its id and its operations. */
export type Product = ListedProduct & (typeof PRODUCT_OPERATIONS)[number]
export const PRODUCTS: readonly Product[] = PRODUCT_OPERATIONS.map((operations) => ({
  ...operations,
  ...ROWS[operations.id],
}))

/** The rules of the products that sell a business answer. */
export const ANSWER_RULES: readonly AnyBusinessAnswerRules[] = PRODUCTS.flatMap(({ answer }) => answer ?? [])

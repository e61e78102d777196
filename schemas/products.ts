/**
 * Every paid product on the wire, in the order in which documents name them. Operations and unions of schemas over all products are made
 * from these rows. `src/products/products.ts` has the rest of each product.
 */
import type { TObject, TSchema } from "@sinclair/typebox"
import { authorizeGbPayment, gbPaymentSchemas } from "./gb/payment.ts"
import { authorizeGbVendorChange, gbVendorChangeSchemas } from "./gb/vendor-change.ts"
import type { Operation, SoldProduct } from "./operation.ts"
import { checkCompany, companyCheckSchemas } from "./us/company-check.ts"
import { payeeVerificationSchemas, verifyPayee } from "./us/payee-verification.ts"
import { authorizePayment, paymentAuthorizationSchemas } from "./us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "./us/payment-decision.ts"
import { approveSupplier, supplierApprovalSchemas } from "./us/supplier-approval.ts"
import { authorizeVendorChange, vendorChangeSchemas } from "./us/vendor-change.ts"
import { continueVendorAuthorization, vendorContinuationSchemas } from "./us/vendor-continuation.ts"

/** What an agent knows early about a company and its payment: the example of the free check. */
const usKnown = {
  schema_version: "1.0.0",
  jurisdiction: "US",
  coverage: "FEDERAL_ONLY",
  company: { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } },
} as const
const gbKnown = { company_number: "01234567" } as const

/** The products that sell a business answer. */
export const ANSWER_PRODUCTS = [
  product(checkCompany, companyCheckSchemas, usKnown),
  product(approveSupplier, supplierApprovalSchemas, usKnown),
  product(verifyPayee, payeeVerificationSchemas, usKnown),
  product(authorizePayment, paymentAuthorizationSchemas, usKnown),
  product(authorizeVendorChange, vendorChangeSchemas, usKnown),
  product(continueVendorAuthorization, vendorContinuationSchemas, usKnown),
  product(authorizeGbPayment, gbPaymentSchemas, { ...gbKnown, amount: "1250.00", currency: "GBP" }),
  product(authorizeGbVendorChange, gbVendorChangeSchemas, gbKnown),
] as const

export type AnswerProductId = (typeof ANSWER_PRODUCTS)[number]["id"]
export type ProductId = typeof PAYMENT_DECISION_PRODUCT | AnswerProductId

export const PRODUCT_IDS: readonly ProductId[] = [PAYMENT_DECISION_PRODUCT, ...ANSWER_PRODUCTS.map(({ id }) => id)]

/** The schemas of the answers, by the country of their product. */
export const US_ANSWERS = ANSWER_PRODUCTS.filter((one) => one.country === "US").map(({ schemas }) => schemas.answer)
export const GB_ANSWERS = ANSWER_PRODUCTS.filter((one) => one.country === "GB").map(({ schemas }) => schemas.answer)

function product<
  Paid extends Operation<TObject> & { readonly product: SoldProduct },
  Schemas extends { readonly request: TObject; readonly facts: TObject; readonly answer: TSchema },
>(operation: Paid, schemas: Schemas, known: object) {
  const id: Paid["product"]["id"] = operation.product.id
  const country: Paid["product"]["jurisdiction"] = operation.product.jurisdiction
  return { id, country, operation, schemas, known }
}

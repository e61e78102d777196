/** The operations of every paid product: the one that sells it, and the free ones beside it. */
import { contactOperation } from "./contact.ts"
import { eligibilityOperation } from "./eligibility.ts"
import type { Operation } from "./operation.ts"
import { ANSWER_PRODUCTS } from "./products.ts"
import { requestDocuments } from "./request-documents.ts"
import { contactPaymentDecision } from "./us/decision-contact.ts"
import {
  checkPaymentDecisionEligibility,
  getPaymentDecisionExample,
  getPaymentDecisionSchema,
  releasePaymentDecision,
} from "./us/operations.ts"
import { PAYMENT_DECISION_PRICE, PAYMENT_DECISION_PRODUCT } from "./us/payment-decision.ts"

/** Of the products that sell a business answer. */
export const ANSWER_OPERATIONS = ANSWER_PRODUCTS.map(({ id, operation: paid, known }) => ({
  id,
  paid,
  eligibility: eligibilityOperation(paid, known),
  contact: contactOperation(paid),
  documents: requestDocuments({ name: paid.id, path: paid.path }),
}))

export const FREE_OPERATIONS: readonly Operation[] = ANSWER_OPERATIONS.flatMap(
  ({ eligibility, contact, documents: { schema, example } }) => [eligibility, contact, schema, example],
)

/** Of every product. */
export const PRODUCT_OPERATIONS = [
  {
    id: PAYMENT_DECISION_PRODUCT,
    paid: { ...releasePaymentDecision, price: PAYMENT_DECISION_PRICE },
    eligibility: checkPaymentDecisionEligibility,
    contact: contactPaymentDecision,
    documents: { schema: getPaymentDecisionSchema, example: getPaymentDecisionExample },
  },
  ...ANSWER_OPERATIONS,
] as const

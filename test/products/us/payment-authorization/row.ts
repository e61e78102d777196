import type { PaymentAuthorizationRequest } from "../../../../schemas/us/payment-authorization.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { paymentAuthorizationRules } from "../../../../src/products/us/payment-authorization/rules.ts"
import { freshKey } from "../../../fixtures/answers.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"
import { enterApproval } from "./enter-approval.ts"
import { authorizationBody } from "./reasons.ts"

const { id, country, path, price, schemas } = paymentAuthorizationRules

function body(changes: Partial<PaymentAuthorizationRequest> = {}): PaymentAuthorizationRequest {
  const obligation_id = freshKey()
  return authorizationBody({ invoice: { obligation_id, document_digest: digestOf(obligation_id) }, ...changes })
}

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  prepare: enterApproval,
  body: () => body(),
  otherBody: (one: PaymentAuthorizationRequest) => ({ ...one, amount: "12500.01" }),
  refused: {
    ...usRefused(body),
    "an approval of nothing": ["REFERENCE_NOT_USABLE", () => body({ supplier_approval_reference: "no approval" })],
    "an amount of zero": ["AMOUNT_ZERO", () => body({ amount: "0.000" })],
    "a currency that is not in use": ["CURRENCY_UNKNOWN", () => body({ currency: "XXX" })],
  },
  sourceFaults: US_LIST_FAULTS,
  contended: {
    "one obligation": {
      bodies: (count) => {
        const { invoice } = body()
        return Array.from({ length: count }, () => body({ invoice }))
      },
      afterwards: { refusal: "REUSABLE_DECISION_EXISTS" },
    },
  },
  recovery: null,
}

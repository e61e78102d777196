/** The Payment Decision as it is sold: its routes, its row, and its recovery. */
import {
  checkPaymentDecisionEligibility,
  recoverPaymentDecision,
  releasePaymentDecision,
} from "../../../../schemas/us/operations.ts"
import type { ProductSlice } from "../../common/product-route.ts"
import { type DecisionDeps, paymentDecision } from "./product.ts"
import { recover, requireNoPaymentHeader } from "./recover.ts"
import { decisionRow } from "./row.ts"
import { withoutAccepted } from "./without-accepted.ts"

/** Uses the lists and registers that {@link withoutAccepted} returns. */
export function paymentDecisionSlice(given: DecisionDeps): ProductSlice {
  const deps = { ...given, ...withoutAccepted(given) }
  const product = decisionRow(deps)
  const paid = paymentDecision(deps, product)
  return {
    product,
    paid,
    operation: releasePaymentDecision,
    eligibility: checkPaymentDecisionEligibility,
    recovery: {
      operation: recoverPaymentDecision,
      guard: requireNoPaymentHeader,
      recover: ({ store }, call) => recover({ store, product: paid, baseUrl: deps.baseUrl }, call),
    },
  }
}

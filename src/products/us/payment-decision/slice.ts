/** The Payment Decision as it is sold: its routes, its row, and its recovery. */
import {
  checkPaymentDecisionEligibility,
  recoverPaymentDecision,
  releasePaymentDecision,
} from "../../../../schemas/us/operations.ts"
import type { Signer } from "../../../core/signer.ts"
import { paidProduct } from "../../common/paid-product.ts"
import type { ProductSlice } from "../../common/product-route.ts"
import type { DecisionDeps } from "./gather-facts.ts"
import { paymentDecision } from "./product.ts"
import { recover, requireNoPaymentHeader } from "./recover.ts"
import { withoutAccepted } from "./without-accepted.ts"

export interface DecisionSliceDeps extends DecisionDeps {
  readonly signer: () => Signer
}

/** Uses the lists and registers that {@link withoutAccepted} returns. */
export function paymentDecisionSlice({ signer, ...given }: DecisionSliceDeps): ProductSlice {
  const { baseUrl } = given
  const product = paymentDecision({ ...given, ...withoutAccepted(given) })
  const paid = paidProduct(product, signer)
  return {
    product,
    paid,
    operation: releasePaymentDecision,
    eligibility: checkPaymentDecisionEligibility,
    recovery: {
      operation: recoverPaymentDecision,
      guard: requireNoPaymentHeader,
      recover: ({ store }, call) => recover({ store, product: paid, baseUrl }, call),
    },
  }
}

/** The Payment Decision as it is sold: its routes, its row, and its recovery. */
import {
  checkPaymentDecisionEligibility,
  recoverPaymentDecision,
  releasePaymentDecision,
} from "../../../../schemas/us/operations.ts"
import type { Signer } from "../../../core/signer.ts"
import type { ListedEntries } from "../../../sources/details/entry-book.ts"
import { paidProduct } from "../../common/paid-product.ts"
import type { ProductSlice } from "../../common/product-route.ts"
import type { DecisionDeps } from "./gather-facts.ts"
import { paymentDecision } from "./product.ts"
import { recover, requireNoPaymentHeader } from "./recover.ts"
import { withoutAccepted } from "./without-accepted.ts"

export interface DecisionSliceDeps extends DecisionDeps {
  readonly signer: () => Signer
  /** The details of listed entries; absent if there are none. */
  readonly entries?: ListedEntries | null
}

/** Uses the lists and registers that {@link withoutAccepted} returns. */
export function paymentDecisionSlice({ signer, entries, ...given }: DecisionSliceDeps): ProductSlice {
  const { baseUrl } = given
  const product = paymentDecision({ ...given, ...withoutAccepted(given) })
  const paid = paidProduct(product, signer, entries)
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

/** The Payment Decision as an on-chain job buys it: the gates and records of the paid route, without its payment. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { instant } from "../../../core/time.ts"
import type { Sale } from "../../../delivery/sale.ts"
import type { Store } from "../../../store/engine/unit.ts"
import type { ProductRouteDeps } from "../../common/product-route.ts"
import type { ReservedBy } from "../../common/product-row.ts"
import { quoteChecks } from "../../common/quote-checks.ts"
import { saleOf } from "../../common/sale-of.ts"
import type { SoldProduct } from "../../common/sell-product.ts"
import type { PaymentDecision } from "./rules.ts"

interface JobProductDeps extends Pick<ProductRouteDeps, "isRestrictedWallet"> {
  readonly store: Store
  readonly sold: SoldProduct
}

export function jobProduct({ store, sold, isRestrictedWallet }: JobProductDeps) {
  const checks = quoteChecks(sold.product, isRestrictedWallet)
  return {
    product: sold.paid,
    saleOf: (request: DecisionRequest, at: number): Promise<Sale> =>
      saleOf(store, sold, checks, { request, at, isPaid: false, payer: null, rawBodyDigest: null }),
    /** End of buyer, mandate and delegations, in milliseconds. */
    authorityUntil: (records: unknown): number =>
      instant((records as ReservedBy<PaymentDecision>).records.mandate.valid_until),
  }
}

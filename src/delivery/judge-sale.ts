/** Why the service may not sell a product now. A quote and the capability catalogue make the same checks. */
import type { ServiceError } from "../base/errors.ts"
import { notReadyError } from "../base/readiness.ts"
import type { DeliveryDeps } from "./deps.ts"
import type { PaidProduct, SourcesJudged } from "./sale.ts"
import { paymentsOff } from "./sale-refusals.ts"

/** Returns the refusal of every quote while the service is not ready to sell at this price. */
export function judgeReadiness(
  { notReady }: Pick<DeliveryDeps, "notReady">,
  { priceAtomic }: Pick<PaidProduct, "priceAtomic">,
): ServiceError | null {
  return notReadyError(notReady(priceAtomic))
}

/** Returns the sources that the product requires, and the refusal that every request for a quote would get at `at` (ms). */
async function judgeSale(deps: DeliveryDeps, product: PaidProduct, at: number): Promise<SourcesJudged> {
  await deps.opened()
  const { sources, refusal } = await product.judgeSources(at)
  return { sources, refusal: deps.payments === null ? paymentsOff() : (refusal ?? judgeReadiness(deps, product)) }
}

/** The same for a product by its id. Throws an Error if nothing sells it: then a row is served that the delivery path does not know. */
export function judgeSaleOf(deps: DeliveryDeps, productId: string, at: number): Promise<SourcesJudged> {
  const product = deps.products.get(productId)
  if (!product) throw new Error(`no product ${productId} is sold`)
  return judgeSale(deps, product, at)
}

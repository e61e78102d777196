import type { Charge } from "../../schemas/discovery/svc-intents.ts"
import type { Operation } from "../../schemas/operation.ts"
import { productPrice } from "./product-price.ts"
import { soldOperations } from "./sold.ts"

/** Returns what one call of a paid row costs on a network (CAIP-2), or null for a free one. */
export function chargeOf(row: Operation, network: string): Charge | null {
  const [sold] = soldOperations([row])
  return sold ? { ...productPrice(sold), network } : null
}

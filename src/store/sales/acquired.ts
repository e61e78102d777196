/** A delivery that a buyer acquired, with the request that it answers. */
import type { Unit } from "../engine/unit.ts"
import { findDeliveryByAnyId } from "./deliveries.ts"
import { findRequest } from "./requests.ts"

export interface Acquired {
  readonly product: string
  readonly body: string
  readonly capsuleJson: string
  readonly factsJson: string
  readonly requestJson: string
  /** RFC 3339; null for an answer of an early release. */
  readonly deliveredAt: string | null
}

/** By the ids of {@link findDeliveryByAnyId}. Null if there is no such delivery, or nobody acquired it. */
export function* findAcquired(id: string): Unit<Acquired | null> {
  const delivery = yield* findDeliveryByAnyId(id)
  if (!delivery?.body) return null
  const request = yield* findRequest(delivery.requestId)
  if (!request) throw new Error("a delivery without its request")
  const { body, capsuleJson, factsJson, deliveredAt } = delivery
  return { product: request.product, body, capsuleJson, factsJson, requestJson: request.requestJson, deliveredAt }
}

/** All stored data of one delivery, for its export. */

import type { Jwks } from "../../../schemas/discovery/jwks.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { capsuleOf } from "../../core/capsule/capsule-in-body.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { listServiceKeys } from "../../store/identity/service-keys.ts"
import { findDeliveryByAnyId } from "../../store/sales/deliveries.ts"
import { findRequest } from "../../store/sales/requests.ts"

export interface StoredDelivery {
  readonly product: string
  readonly body: string
  readonly capsuleJson: string
  readonly factsJson: string
  readonly requestJson: string
  readonly issuerJwks: Jwks
}

/**
 * By decision or execution id, delivery reference or stored request id. Null when there is no such delivery, or it was computed but never
 * acquired.
 */
export function* readStoredDelivery(id: string): Unit<StoredDelivery | null> {
  const delivery = yield* findDeliveryByAnyId(id)
  if (!delivery?.body) return null
  const request = yield* findRequest(delivery.requestId)
  if (!request) throw new Error("a delivery without its request")
  const { body, factsJson } = delivery
  const capsuleJson = capsuleOf({ ...delivery, body })
  const { product, requestJson } = request
  const issuerJwks = publishedKeys(yield* listServiceKeys("statement"))
  return { product, body, capsuleJson, factsJson, requestJson, issuerJwks }
}

/** Throws when the stored data would not be sent in its original form, so that a damaged delivery is not exported as a good one. */
export function requireCanonical(id: string, { body }: StoredDelivery): void {
  if (canonicalize(JSON.parse(body)) !== body) throw new Error(`the stored bytes of ${id} are not canonical`)
}

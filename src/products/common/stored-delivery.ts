/** All stored data of one delivery, for its export. */

import type { Jwks } from "../../../schemas/discovery/jwks.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { capsuleOf } from "../../core/capsule/capsule-in-body.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { listServiceKeys } from "../../store/identity/service-keys.ts"
import { findAcquired } from "../../store/sales/acquired.ts"

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
  const acquired = yield* findAcquired(id)
  if (acquired === null) return null
  const { product, body, factsJson, requestJson } = acquired
  const capsuleJson = capsuleOf(acquired)
  const issuerJwks = publishedKeys(yield* listServiceKeys("statement"))
  return { product, body, capsuleJson, factsJson, requestJson, issuerJwks }
}

/** Throws when the stored data would not be sent in its original form, so that a damaged delivery is not exported as a good one. */
export function requireCanonical(id: string, { body }: StoredDelivery): void {
  if (canonicalize(JSON.parse(body)) !== body) throw new Error(`the stored bytes of ${id} are not canonical`)
}

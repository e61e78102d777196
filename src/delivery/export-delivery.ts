/** One delivery as a bundle that verifies and replays on another machine. */
import type { DecisionFacts } from "../../schemas/us/decision-facts.ts"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { publishedKeys } from "../keys/published-keys.ts"
import { findDeliveryByAnyId } from "../store/deliveries.ts"
import { findRequest } from "../store/requests.ts"
import { listServiceKeys } from "../store/service-keys.ts"
import type { Store, Unit } from "../store/unit.ts"
import { bundleBytes, type ReplayRules } from "./bundle.ts"

/**
 * Bundle bytes by decision id, delivery reference or request id; null when there is no such delivery, or one that was computed but
 * never acquired. Throws when what is stored would not come out as it was sent: a damaged delivery is not exported as a good one.
 */
export async function exportDelivery(store: Store, id: string, rules: ReplayRules): Promise<Uint8Array | null> {
  const stored = await store.read(() => readStored(id))
  if (!stored) return null
  const delivery = JSON.parse(stored.body) as DecisionResponse
  if (canonicalize(delivery) !== stored.body) throw new Error(`the stored bytes of ${id} are not canonical`)
  const policyChecksum = rules.policyChecksum(delivery.policy.id, delivery.policy.version)
  if (policyChecksum === null) throw new Error(`this program does not have policy ${delivery.policy.version}`)
  return bundleBytes({
    delivery,
    request: JSON.parse(stored.requestJson) as DecisionRequest,
    facts: JSON.parse(stored.factsJson) as DecisionFacts,
    policyChecksum,
    issuerJwks: publishedKeys(stored.keys),
  })
}

function* readStored(id: string): Unit<{
  body: string
  factsJson: string
  requestJson: string
  keys: Parameters<typeof publishedKeys>[0]
} | null> {
  const delivery = yield* findDeliveryByAnyId(id)
  if (!delivery?.body) return null
  const request = yield* findRequest(delivery.requestId)
  if (!request) throw new Error("a delivery without its request")
  const { body, factsJson } = delivery
  return { body, factsJson, requestJson: request.requestJson, keys: yield* listServiceKeys("statement") }
}

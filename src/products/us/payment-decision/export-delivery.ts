/** Exports one delivery as a bundle that verifies and replays on another machine. */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionResponse } from "../../../../schemas/us/decision-response.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../../schemas/us/payment-decision.ts"
import { findPolicy } from "../../../checks/policy/find-policy.ts"
import { policyChecksum } from "../../../checks/policy/policy.ts"
import type { Store } from "../../../store/engine/unit.ts"
import { readStoredDelivery, requireCanonical } from "../../common/stored-delivery.ts"
import { bundleBytes, type ReplayRules } from "./bundle.ts"

/**
 * Returns bundle bytes by decision id, delivery reference or request id, or null if no acquired Payment Decision has this id. Throws if the
 * stored data is damaged.
 */
export async function exportDelivery(store: Store, id: string, rules: ReplayRules): Promise<Uint8Array | null> {
  const stored = await store.read(() => readStoredDelivery(id))
  if (stored?.product !== PAYMENT_DECISION_PRODUCT) return null
  requireCanonical(id, stored)
  const delivery = JSON.parse(stored.body) as DecisionResponse
  const policy = findPolicy(rules, delivery.policy.id, delivery.policy.version)
  if (policy === null) throw new Error(`this program does not have policy ${delivery.policy.version}`)
  return bundleBytes({
    delivery,
    request: JSON.parse(stored.requestJson) as DecisionRequest,
    facts: JSON.parse(stored.factsJson) as DecisionFacts,
    policyChecksum: policyChecksum(policy),
    issuerJwks: stored.issuerJwks,
  })
}

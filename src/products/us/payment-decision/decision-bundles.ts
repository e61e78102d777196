/** The bundle of a Payment Decision: the delivery, which contains its capsule, and what it was decided from. */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionResponse } from "../../../../schemas/us/decision-response.ts"
import type { DeliveryBundle } from "../../../../schemas/us/delivery-bundle.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../../schemas/us/payment-decision.ts"
import { findPolicy } from "../../../checks/policy/find-policy.ts"
import { policyChecksum } from "../../../checks/policy/policy-checksum.ts"
import { capsulePayload, responseDigest } from "../../../core/capsule/capsule.ts"
import { coreOf } from "../../../core/capsule/capsule-view.ts"
import { readDecisionDocument } from "../../../offline/kinds/decision-document.ts"
import type { BundleKind, OpenBundle } from "../../common/replay-bundle.ts"
import type { StoredDelivery } from "../../common/stored-delivery.ts"
import { bundleBytes, type ReplayRules } from "./bundle.ts"

export function decisionBundles(rules: ReplayRules): BundleKind {
  return {
    alone: "a delivery",
    includes: (product) => product === PAYMENT_DECISION_PRODUCT,
    pack: (stored) => packDecision(rules, stored),
    open: (bytes, report) => {
      const document = readDecisionDocument(bytes, report)
      return document && { bundle: document.bundle && openDecision(rules, document.bundle) }
    },
  }
}

function packDecision(rules: ReplayRules, stored: StoredDelivery): Uint8Array {
  const delivery = JSON.parse(stored.body) as DecisionResponse
  const policy = findPolicy(rules, delivery.policy)
  if (policy === null) throw new Error(`this program does not have policy ${delivery.policy.version}`)
  return bundleBytes({
    delivery,
    request: JSON.parse(stored.requestJson) as DecisionRequest,
    facts: JSON.parse(stored.factsJson) as DecisionFacts,
    policyChecksum: policyChecksum(policy),
    issuerJwks: stored.issuerJwks,
  })
}

function openDecision(rules: ReplayRules, { delivery, request, facts, ...bundle }: DeliveryBundle): OpenBundle {
  const { policy } = delivery
  const known = findPolicy(rules, policy)
  return {
    capsule: delivery.proof_capsule,
    facts,
    issuerJwks: bundle.issuer_jwks,
    policy,
    knownChecksum: known && policyChecksum(known),
    statedChecksums: [bundle.policy_checksum],
    core: coreOf(delivery),
    decideAgain() {
      const core = rules.decide(request, facts, policy)
      return core && { core, capsulePayload: capsulePayload(core, request, facts) }
    },
    digests: [
      { check: "response digest", computed: responseDigest(delivery), stated: delivery.delivery.response_digest },
    ],
  }
}

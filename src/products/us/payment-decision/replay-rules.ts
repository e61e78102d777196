import { requestDigest } from "../../../checks/policy/digests.ts"
import { policyChecksum } from "../../../checks/policy/policy.ts"
import { reasonsInWords } from "../../../checks/policy/reasons-in-words.ts"
import type { ReplayRules } from "./bundle.ts"
import { decide } from "./decide.ts"
import { findPolicy } from "./policy.ts"

/** What offline verification and replay need from the Payment Decision. */
export const paymentDecisionRules: ReplayRules = {
  requestDigest,
  policyChecksum: (id, version) => {
    const policy = findPolicy(id, version)
    return policy && policyChecksum(policy)
  },
  reasonsInWords: (delivery) =>
    reasonsInWords(findPolicy(delivery.policy.id, delivery.policy.version)?.reasons ?? null, delivery),
  decide: (request, facts, { id, version }) => {
    const policy = findPolicy(id, version)
    return policy && decide(request, facts, policy)
  },
}

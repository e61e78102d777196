import type { ReplayRules } from "./bundle.ts"
import { decide } from "./decide.ts"
import { findPolicy, PAYMENT_DECISION_POLICIES } from "./policy.ts"

/** What offline verification and replay need from the Payment Decision. */
export const paymentDecisionRules: ReplayRules = {
  policies: PAYMENT_DECISION_POLICIES,
  decide: (request, facts, { id, version }) => {
    const policy = findPolicy(id, version)
    return policy && decide(request, facts, policy)
  },
}

import { findPolicy } from "../../../checks/policy/find-policy.ts"
import type { ReplayRules } from "./bundle.ts"
import { decide } from "./decide.ts"
import { PAYMENT_DECISION_POLICIES } from "./policy.ts"

/** What offline verification and replay need from the Payment Decision. */
export const paymentDecisionRules: ReplayRules = {
  policies: PAYMENT_DECISION_POLICIES,
  decide: (request, facts, named) => {
    const policy = findPolicy({ policies: PAYMENT_DECISION_POLICIES }, named)
    return policy && decide(request, facts, policy)
  },
}

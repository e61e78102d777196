import { NATIVE_CRYPTO } from "../../../core/crypto/native-crypto.ts"
import type { ReplayRules } from "./bundle.ts"
import { decide } from "./decide.ts"
import { findPolicy, PAYMENT_DECISION_POLICIES } from "./policy.ts"
import { verifyRules } from "./verify-rules.ts"

/** What offline verification and replay need from the Payment Decision. */
export const paymentDecisionRules: ReplayRules = {
  ...verifyRules(PAYMENT_DECISION_POLICIES, NATIVE_CRYPTO),
  decide: (request, facts, { id, version }) => {
    const policy = findPolicy(id, version)
    return policy && decide(request, facts, policy)
  },
}

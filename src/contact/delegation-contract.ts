import { enrollBuyerDelegation } from "../../schemas/us/buyer-onboarding.ts"
import type { DecisionContactAnswer } from "../../schemas/us/decision-contact.ts"

/** How an agent gets authority: an organization that is verified independently delegates the agent's signing key. */
export function delegationContract(baseUrl: string): DecisionContactAnswer["authority_delegation"] {
  return {
    required: true,
    enroll: { method: "POST", uri: baseUrl + enrollBuyerDelegation.path },
    delegates: "AGENT_SIGNING_KEY",
    for: "INDEPENDENTLY_VERIFIED_ORGANIZATION",
    algorithm: "Ed25519",
    canonicalization: "SVC-C14N-JSON-1",
    free_agent_id_grants_payment_authority: false,
    required_evidence: [
      "ORGANIZATION_VERIFIED_BY_OPERATOR",
      "ACTIVE_AGENT_ID_KEY",
      "DELEGATION_SIGNED_BY_MANDATE_KEY",
      "SCOPE_SIGN_REQUEST",
      "MANDATE_FOR_THIS_REQUEST",
    ],
  }
}

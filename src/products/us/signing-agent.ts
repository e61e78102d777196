/** Checks the agent that signed a request and the organization it signed for: before a quote, and again in the reserving transaction. */
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../base/errors.ts"
import { instant } from "../../core/time.ts"
import type { Organization } from "../../store/buyers/buyers.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { findAgentKey, type NamedAgentKey } from "../../store/identity/agent-identity.ts"

export type StoredAgentKey = NamedAgentKey

export function* readAgentKey({
  requesting_agent: agent,
}: Pick<DecisionRequest, "requesting_agent">): Unit<StoredAgentKey | null> {
  return yield* findAgentKey(agent.agent_id, agent.key_id)
}

/** What the agent signs in a request of a paid product. */
type RequestForm = "DECISION_REQUEST" | "VENDOR_CHANGE"

/** Runs again in the reserving transaction: a key revoked since the quote buys nothing. */
export function judgeAgentKey(
  { agentKey }: { readonly agentKey: StoredAgentKey | null },
  form: RequestForm,
): ServiceError | null {
  if (!agentKey) {
    const detail = "Enrol the agent first; agent id and key id must belong together."
    return new ServiceError("AGENT_NOT_FOUND", detail, { status: 403 })
  }
  if (agentKey.identityStatus === "UNKNOWN") {
    const detail =
      "The service was restored from a backup, and the agent's key may have been revoked since. Rotate the key first; then the identity is known again."
    return new ServiceError("KEY_NOT_ACTIVE", detail, { form })
  }
  const active = agentKey.status === "ACTIVE" && agentKey.identityStatus === "ACTIVE" && agentKey.role === "OPERATIONAL"
  return active ? null : new ServiceError("KEY_NOT_ACTIVE", "Sign with the agent's active operational key.", { form })
}

/** `form`: what the agent should have signed. */
export function signatureRefusal(form: RequestForm): ServiceError {
  return new ServiceError("REQUEST_SIGNATURE_INVALID", "Sign the canonical request without request_signature.", {
    form,
    errors: [
      {
        pointer: "/requesting_agent/request_signature",
        code: "REQUEST_SIGNATURE_INVALID",
        expected: "Ed25519 signature of 86 base64url characters over the canonical request without this member",
      },
    ],
  })
}

/**
 * Checks that the operator registered the organization, it is not revoked, its verification is current, and it is the organization that was
 * verified.
 */
export function judgeOrganization(
  { organization_digest: digest }: DecisionRequest["buyer"],
  organization: Organization | null,
  at: number,
): ServiceError | null {
  const verified =
    organization?.state === "ACTIVE" &&
    organization.organizationDigest === digest &&
    instant(organization.verification.validUntil) > at
  return verified
    ? null
    : new ServiceError("BUYER_NOT_VERIFIED", "The operator verifies organizations and enters them.")
}

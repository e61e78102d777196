/** Builds the descriptor and its bootstrap variants, field by field (Interface, "Agent ID product descriptor"). Pure. */
import type { AgentIdBootstrap, AgentIdDescriptor } from "../../../schemas/agent-id/descriptor.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { CANONICALIZATION } from "../../core/canonical-json.ts"
import { MARK_PALETTE, MARK_TEXT } from "./mark.ts"

export interface DescriptorParts {
  /** Public origin of the service. */
  readonly baseUrl: string
  /** Name of the operator. */
  readonly issuerName: string
}

/** CHOICE: the words, keywords and intents. They promise no more than the claim. */
const PROMISE = "A free identity your agent proves with keys it never gives away."
const DESCRIPTION =
  "An opaque identifier bound to two Ed25519 keys that the agent makes and keeps itself. Enrolment takes two calls and no login, wallet or payment. The one claim is control of the keys."

export function agentIdDescriptor({ baseUrl, issuerName }: DescriptorParts): AgentIdDescriptor {
  return {
    product_id: "svc.agent-id.v1",
    solution_id: "agent-id",
    version: "1.0.0",
    name: "Agent ID",
    promise: PROMISE,
    description: DESCRIPTION,
    descriptions: {
      short: "Free key-control identity for autonomous agents.",
      medium: DESCRIPTION,
      long: `${DESCRIPTION} Keys can be rotated, recovered and revoked; every such event is signed by the agent, chained to the one before and entered in a transparency log. Profile, status, keys and an export that verifies offline are public to whoever knows the identifier, and to nobody else: there is no directory. It is not a legal identity and carries no authority, reputation or history.`,
    },
    keywords: [
      "agent identity",
      "autonomous agent",
      "Ed25519",
      "proof of possession",
      "self-custody",
      "key rotation",
      "transparency log",
      "offline verification",
      "signature verification",
    ],
    visual_identity: {
      mark: MARK_TEXT,
      image_url: `${baseUrl}/v1/agent-id/mark.svg`,
      palette: { ...MARK_PALETTE },
    },
    customer: "AUTONOMOUS_AGENT_OR_AGENT_RUNTIME",
    price: { amount: "0", currency: "N/A_NO_CHARGE" },
    coverage: "GLOBAL_KEY_CONTROL_ONLY",
    assurance_level: "SELF_REGISTERED",
    claim: "KEY_CONTROL_ONLY",
    evidence: "ED25519_PROOF_OF_POSSESSION",
    issuer: issuerName,
    human_approval_required: false,
    private_key_leaves_agent: false,
    private_key_custody: "AGENT_ONLY",
    enrollment_keys_required: ["OPERATIONAL", "RECOVERY"],
    algorithms: ["Ed25519"],
    formats: [CANONICALIZATION, "JWK_RFC8037"],
    intents: [
      "ENROLL_AGENT_IDENTITY",
      "ROTATE_AGENT_KEY",
      "REVOKE_AGENT_KEY",
      "READ_AGENT_STATUS",
      "VERIFY_AGENT_SIGNATURE",
      "REGISTER_SIGNED_ARTIFACT",
      "EXPORT_AGENT_IDENTITY",
    ],
    limitations: [...AGENT_ID_LIMITATIONS],
    data_policy: {
      private_keys_accepted: false,
      identity_directory: false,
      activity_history_public: false,
      economic_history_public: false,
    },
  }
}

export function agentIdBootstrap(parts: DescriptorParts): AgentIdBootstrap {
  const { baseUrl } = parts
  return {
    ...agentIdDescriptor(parts),
    contract: {
      version: "1.0.0",
      claim: "KEY_CONTROL_ONLY",
      human_approval_required: false,
      private_key_leaves_agent: false,
      economic_activity: false,
    },
    enrollment: {
      calls: 2,
      key_generation: "LOCAL_ED25519_TWO_INDEPENDENT_KEYS",
      first_request: { method: "POST", uri: `${baseUrl}/v1/agent-identities/challenges`, purpose: "ENROLLMENT" },
      // The interface gives one template for the descriptor and another for the operation. Both are served.
      proof_request: { method: "POST", uri_template: `${baseUrl}/v1/agent-identities/{challengeId}/prove` },
    },
    external_signing: {
      canonicalization: CANONICALIZATION,
      algorithm: "Ed25519",
      signing_location: "LOCAL_ONLY",
      verification_uri: `${baseUrl}/v1/agent-signatures/verify`,
    },
    synthetic_test: {
      payload: { message: "synthetic agent signature test" },
      context: { environment: "SANDBOX" },
      action_type: "SYNTHETIC_TEST",
    },
  }
}

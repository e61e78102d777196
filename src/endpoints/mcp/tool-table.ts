/**
 * The free tools that run one operation, each with its set and its words. The name of a tool is the id of its operation, but for operations
 * with several purposes: each purpose is a tool, because a model chooses by names and many libraries refuse a choice between inputs.
 */
import type { ToolSet } from "../../../schemas/discovery/mcp.ts"

export interface FreeTool {
  readonly operation: string
  /** Absent: the id of the operation. */
  readonly name?: string
  /** Null: listed by default. */
  readonly set: ToolSet | null
  /** The variant of the body: it has this member, with this constant if one is given. */
  readonly variant?: readonly [member: string, value?: string]
  /** What the tool does. Absent: the summary of the operation. */
  readonly what?: string
  /** Ends the sentence that begins with "Use it". */
  readonly use: string
  /** Ends the sentence that begins with "Next:". */
  readonly next: string
}

const SIGNED = "Sign the message with the agent's operational key first"
const PROVE = "sign C14N(challenge) with every key that the answer names, then call ProveAgentIdentityChallenge"

export const FREE_TOOLS: readonly FreeTool[] = [
  {
    operation: "get_capabilities",
    set: null,
    use: "first, to choose a product, and before a purchase, to see whether it can be sold now",
    next: "call check_eligibility with the paid tool that you chose",
  },
  {
    operation: "free_agent_preflight",
    set: null,
    use: "to plan: you state an intent and digests of your inputs, never the inputs. If planning is off here, use check_eligibility",
    next: "follow next_machine_action; review_draft says how to complete a request",
  },
  {
    operation: "IssueAgentIdentityChallenge",
    name: "EnrollAgentIdentity",
    set: null,
    variant: ["purpose", "ENROLLMENT"],
    what: "Begins the enrolment of an agent: returns a challenge, the key event to be signed",
    use: "once, with the public keys of two Ed25519 key pairs that you made; never send a private key. release_payment_to_supplier and us_vendor_payment_detail_change_authorize need an enrolled agent, the other products do not",
    next: PROVE,
  },
  {
    operation: "ProveAgentIdentityChallenge",
    set: null,
    use: "after EnrollAgentIdentity, RotateAgentKey or RevokeAgentKey, with the signatures of the keys that the challenge names",
    next: "keep agent_id and key_id of the result; they name the agent in requests",
  },
  {
    operation: "get_us_federal_source_health",
    set: null,
    use: "when a US product answered RETRY, or to see how old the lists are before you buy",
    next: "if a source is not healthy, wait; otherwise call the paid tool",
  },
  {
    operation: "free_cnpj_preflight",
    set: null,
    use: "when a supplier is Brazilian: no product covers Brazil, and this says so without a charge",
    next: "stop, or choose one of the alternatives that the answer names",
  },

  {
    operation: "IssueAgentIdentityChallenge",
    name: "RotateAgentKey",
    set: "identity",
    variant: ["purpose", "ROTATION"],
    what: "Begins the replacement of an agent's key: returns a challenge, the key event to be signed",
    use: "to replace the operational or the recovery key of an enrolled agent",
    next: PROVE,
  },
  {
    operation: "IssueAgentIdentityChallenge",
    name: "RevokeAgentKey",
    set: "identity",
    variant: ["purpose", "REVOCATION"],
    what: "Begins the revocation of an agent's key or of its whole identity: returns a challenge, the key event to be signed",
    use: "when a key may be known to others, or when the agent ends; it cannot be undone",
    next: PROVE,
  },
  {
    operation: "GetAgentIdProduct",
    set: "identity",
    use: "to learn what a free Agent ID is before you enrol",
    next: "call EnrollAgentIdentity",
  },
  {
    operation: "GetKeyControlOnlyClaim",
    set: "identity",
    use: "to learn what an identity proves: control of a key, and nothing about who holds it",
    next: "call EnrollAgentIdentity, or read an agent with GetAgentIdentity",
  },
  {
    operation: "GetAgentIdentity",
    set: "identity",
    use: "to read an agent's public profile by its id",
    next: "call GetAgentIdentityStatus before you rely on it",
  },
  {
    operation: "GetAgentIdentityStatus",
    set: "identity",
    use: "before you rely on an agent's key for anything that moves money",
    next: "verify the signature of the answer; the keys are in GetAgentIdentityJwks",
  },
  {
    operation: "GetAgentIdentityJwks",
    set: "identity",
    use: "to verify an agent's signatures with a JOSE library",
    next: "call GetAgentIdentityStatus for a key that decides about money",
  },
  {
    operation: "ExportAgentIdentity",
    set: "identity",
    use: "to keep an offline proof of an agent's history",
    next: "verify the bundle with the verifier of this service",
  },
  {
    operation: "VerifyAgentSignature",
    set: "identity",
    variant: ["statement"],
    what: "Verifies a signed statement of an agent about a payload: five separate outcomes",
    use: "when another agent sends you a signed statement. A result is no proof by itself: read every outcome",
    next: "accept only if each outcome is what you need, and compare audience with your own name",
  },
  {
    operation: "VerifyAgentSignature",
    name: "VerifyAgentPayloadSignature",
    set: "identity",
    variant: ["profile", "PAYLOAD_ONLY"],
    what: "Verifies an agent's signature over a bare payload: five separate outcomes",
    use: "for a signature that covers the payload alone, such as that of a mandate",
    next: "accept only if each outcome is what you need",
  },
  {
    operation: "get_identity_adoption",
    set: "identity",
    use: "to see how an agent takes part, and what is off until it consents",
    next: "call EnrollAgentIdentity",
  },
  {
    operation: "get_service_proof",
    set: "identity",
    use: "to know which program, keys and documents you talk to",
    next: "verify the signature with the keys of the service",
  },

  {
    operation: "read_service_entry",
    set: "planning",
    use: "to find every document of the service",
    next: "read a document with resources/read, or call get_capabilities",
  },
  {
    operation: "agent_bootstrap",
    set: "planning",
    use: "when you know what you want to do here and need the steps to it",
    next: "take the steps in their order",
  },
  {
    operation: "get_autonomous_readiness",
    set: "planning",
    use: "after free_agent_preflight, to see whether you can act now",
    next: "complete what is missing and send the continuation back as it was given",
  },
  {
    operation: "get_exact_agent_quote",
    set: "planning",
    use: "to know the exact price of a complete intent before you ask for a payable quote",
    next: "call the paid tool, which returns the payable quote",
  },
  {
    operation: "select_best_valid_route",
    set: "planning",
    use: "to compare the ways to meet an intent",
    next: "call the tool of the route that the answer names",
  },
  {
    operation: "preview_evidence_reuse",
    set: "planning",
    use: "before you buy, when you hold earlier answers",
    next: "buy only what is left",
  },

  {
    operation: "get_multichannel_status",
    set: "sales",
    use: "to see which channels of this service are open",
    next: "use one of the open channels",
  },
  {
    operation: "hold_agent_dialogue",
    set: "sales",
    use: `to ask about products in codes and get signed answers. ${SIGNED}`,
    next: "send the next turn with the digest of this answer, or buy",
  },
  {
    operation: "get_sales_offer_status",
    set: "sales",
    use: "to follow an offer that a dialogue gave",
    next: "buy with the paid tool of the offer, or let it end",
  },
  {
    operation: "opt_out_of_agent_sales",
    set: "sales",
    use: `to stop offers at once, or to come back. ${SIGNED}`,
    next: "nothing; it is in effect when the answer arrives",
  },
  {
    operation: "grant_intent_beacon_consent",
    set: "sales",
    use: `if you want to tell this service by code what you intend. ${SIGNED}`,
    next: "send events with accept_intent_beacon_event until the consent ends",
  },
  {
    operation: "accept_intent_beacon_event",
    set: "sales",
    use: `under a consent, to report one event. ${SIGNED}`,
    next: "nothing; the event is counted",
  },
  {
    operation: "revoke_intent_beacon_consent",
    set: "sales",
    use: `to end a consent. ${SIGNED}`,
    next: "nothing; no event is accepted from now on",
  },

  {
    operation: "run_synthetic_journey",
    set: "sandbox",
    use: "to rehearse a whole purchase or an enrolment without money, before the real one",
    next: "repeat its steps with your own data; its documents are marked sandbox and prove nothing",
  },
]

/** Describes Agent ID to a machine that decides whether to use it (Interface, "Agent ID product descriptor"). */
import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { FREE, operation, type RateLimit } from "../operation.ts"
import { problem } from "../problem.ts"
import { text } from "../text.ts"
import { Limitations } from "./challenge.ts"

const Uri = text(8, 2048, { pattern: "^https?://" })
const HexColour = Type.String({ pattern: "^#[0-9A-F]{6}$" })
const Text = Type.String({ minLength: 1 })
const Texts = Type.Array(Text, { minItems: 1, uniqueItems: true })
const False = Type.Literal(false)
export const KeyRole = enumeration("OPERATIONAL", "RECOVERY")

/** A slug: lower-case letters, digits and inner hyphens. */
export const CHANNEL_PATTERN = "^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$"
export const ChannelSlug = Type.String({ pattern: CHANNEL_PATTERN })

const descriptorMembers = {
  product_id: Type.Literal("svc.agent-id.v1"),
  solution_id: Type.Literal("agent-id"),
  version: Type.Literal("1.0.0"),
  name: Text,
  promise: Text,
  description: Text,
  descriptions: closed({ short: Text, medium: Text, long: Text }),
  keywords: Texts,
  visual_identity: closed({
    mark: Text,
    image_url: Uri,
    palette: closed({ ink: HexColour, signal: HexColour, paper: HexColour }),
  }),
  customer: Type.Literal("AUTONOMOUS_AGENT_OR_AGENT_RUNTIME"),
  price: closed({ amount: Type.Literal("0"), currency: Type.Literal("N/A_NO_CHARGE") }),
  coverage: Type.Literal("GLOBAL_KEY_CONTROL_ONLY"),
  assurance_level: Type.Literal("SELF_REGISTERED"),
  claim: Type.Literal("KEY_CONTROL_ONLY"),
  evidence: Type.Literal("ED25519_PROOF_OF_POSSESSION"),
  issuer: Type.String(),
  human_approval_required: False,
  private_key_leaves_agent: False,
  private_key_custody: Type.Literal("AGENT_ONLY"),
  enrollment_keys_required: Type.Array(KeyRole, { minItems: 2, maxItems: 2, uniqueItems: true }),
  algorithms: Type.Array(Type.Literal("Ed25519"), { minItems: 1, maxItems: 1 }),
  formats: Type.Array(enumeration("SVC-C14N-JSON-1", "JWK_RFC8037"), { minItems: 2, maxItems: 2, uniqueItems: true }),
  intents: Texts,
  limitations: Limitations,
  data_policy: closed({
    private_keys_accepted: False,
    identity_directory: False,
    activity_history_public: False,
    economic_history_public: False,
  }),
}

const bootstrapMembers = {
  ...descriptorMembers,
  contract: closed({
    version: Type.Literal("1.0.0"),
    claim: Type.Literal("KEY_CONTROL_ONLY"),
    human_approval_required: False,
    private_key_leaves_agent: False,
    economic_activity: False,
  }),
  enrollment: closed({
    calls: Type.Literal(2),
    key_generation: Type.Literal("LOCAL_ED25519_TWO_INDEPENDENT_KEYS"),
    first_request: closed({ method: Type.Literal("POST"), uri: Uri, purpose: Type.Literal("ENROLLMENT") }),
    proof_request: closed({
      method: Type.Literal("POST"),
      uri_template: Type.String({ pattern: "^https?://.*\\{challengeId\\}/prove$" }),
    }),
  }),
  external_signing: closed({
    canonicalization: Type.Literal("SVC-C14N-JSON-1"),
    algorithm: Type.Literal("Ed25519"),
    signing_location: Type.Literal("LOCAL_ONLY"),
    verification_uri: Uri,
  }),
  synthetic_test: closed({
    payload: closed({ message: Text }),
    context: closed({ environment: Text }),
    action_type: Text,
  }),
}

export const AgentIdDescriptor = closed(descriptorMembers, { $id: "AgentIdDescriptor" })
export type AgentIdDescriptor = Static<typeof AgentIdDescriptor>

export const AgentIdBootstrap = closed(bootstrapMembers, { $id: "AgentIdBootstrap" })
export type AgentIdBootstrap = Static<typeof AgentIdBootstrap>

export const ChannelEntry = closed({
  channel: ChannelSlug,
  recorded: Type.Boolean({ description: "Whether this opening was counted; the bootstrap is the same either way" }),
  first_party: Type.Literal(true),
  independent_discovery_proof: False,
})
export type ChannelEntry = Static<typeof ChannelEntry>

export const AgentIdChannelBootstrap = closed(
  { ...bootstrapMembers, channel_entry: ChannelEntry },
  { $id: "AgentIdChannelBootstrap" },
)
export type AgentIdChannelBootstrap = Static<typeof AgentIdChannelBootstrap>

export const AgentIdInvitationBootstrap = closed(
  {
    ...bootstrapMembers,
    invitation: closed({
      reference: Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" }),
      payload_verified: False,
      independent_discovery_claimed: False,
    }),
  },
  { $id: "AgentIdInvitationBootstrap" },
)
export type AgentIdInvitationBootstrap = Static<typeof AgentIdInvitationBootstrap>

const DISCOVERY: RateLimit = { group: "discovery", perMinute: 600 }
const document = {
  method: "GET",
  body: undefined,
  ...FREE,
  cors: "PUBLIC",
  rateLimit: DISCOVERY,
} as const
const unchanged = { description: "Unchanged since the ETag sent" }

export const readDescriptor = operation({
  ...document,
  id: "GetAgentIdProduct",
  tool: "READ",
  path: "/v1/agent-id",
  summary: "What Agent ID is, claims, costs and does not claim",
  responses: { 200: { description: "Product descriptor", schema: AgentIdDescriptor }, 304: unchanged },
})

export const readBootstrap = operation({
  ...document,
  id: "GetAgentIdBootstrap",
  path: "/v1/agent-id/bootstrap",
  summary: "The descriptor with everything an agent needs to enrol by itself in two calls",
  responses: { 200: { description: "Bootstrap descriptor", schema: AgentIdBootstrap }, 304: unchanged },
})

export const readChannelBootstrap = operation({
  ...document,
  id: "GetAgentIdChannelBootstrap",
  path: "/v1/agent-id/channels/{channel}/bootstrap",
  summary:
    "The bootstrap descriptor for an agent that comes through one of the service's own channels. Openings are counted; they do not prove independent discovery",
  parameters: { channel: ChannelSlug },
  responses: {
    200: { description: "Bootstrap descriptor with the channel entry", schema: AgentIdChannelBootstrap },
    304: unchanged,
    404: problem("Not one of the six channels"),
  },
})

/**
 * Returns the operation row as served. The interface defines `channel` as an enum of six slugs. The slugs are configuration, so this
 * function builds the enum when they are known. The row above has their pattern.
 */
export function channelBootstrapOf(channels: readonly string[]) {
  return operation({ ...readChannelBootstrap, parameters: { channel: enumeration(...channels) } })
}

export const readMark = operation({
  ...document,
  id: "GetAgentIdMark",
  path: "/v1/agent-id/mark.svg",
  summary: "The image that visual_identity.image_url names",
  responses: { 200: { description: "Mark", mediaType: "image/svg+xml" }, 304: unchanged },
})

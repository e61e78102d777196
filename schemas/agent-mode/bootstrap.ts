/** What an agent needs to begin: the steps to what it asks for, the documents, the sandbox and the limits. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentIdBootstrap } from "../agent-id/descriptor.ts"
import { PublicJwk } from "../agent-id/jwk.ts"
import { AgentId, closed, DateTime, enumeration, KeyId } from "../common.ts"
import { operation } from "../operation.ts"
import { text } from "../text.ts"
import { bootstrapExample } from "./example-bodies.ts"
import { FOUNDATION_PROBLEMS, FoundationEnvironment, foundationRow, Provider } from "./foundation.ts"
import { contractMembers, endMembers, Uri, Word } from "./notation.ts"

export const CAPABILITIES = [
  "AGENT_IDENTITY",
  "PLANNING",
  "PURCHASE",
  "PROOF_WALLET",
  "SALES_DIALOGUE",
  "INTENT_BEACON",
  "OFFLINE_VERIFICATION",
  "SANDBOX",
] as const
export const Capability = enumeration(...CAPABILITIES)
export type Capability = Static<typeof Capability>

export const AgentBootstrapRequest = closed(
  {
    ...contractMembers,
    environment: FoundationEnvironment,
    agent_id: Type.Union([AgentId, Type.Null()]),
    requested_capabilities: Type.Array(Capability, { minItems: 1, maxItems: CAPABILITIES.length, uniqueItems: true }),
    idempotency_key: text(8, 120),
    provider: Type.Optional(Provider),
  },
  { $id: "agent_bootstrapRequest" },
)
export type AgentBootstrapRequest = Static<typeof AgentBootstrapRequest>

const Name = text(1, 160)

const Step = closed({
  order: Type.Integer({ minimum: 1 }),
  operation_id: Name,
  method: enumeration("GET", "POST"),
  uri: { ...Uri, description: "A template if the path has parameters" },
  authentication: Word,
  produces: Type.Array(Word, { minItems: 1, uniqueItems: true }),
})
export type BootstrapStep = Static<typeof Step>

export const AgentBootstrapResponse = closed(
  {
    ...contractMembers,
    bootstrap_id: Type.String({ pattern: "^bst_[A-Za-z0-9_-]{22}$", description: "The same for the same request" }),
    environment: FoundationEnvironment,
    agent: closed({
      agent_id: Type.Union([AgentId, Type.Null()]),
      identity_status: enumeration("ACTIVE", "REVOKED", "UNKNOWN", "NOT_STATED"),
    }),
    steps: Type.Array(Step),
    identity: closed({ enrollment: AgentIdBootstrap.properties.enrollment }),
    discovery: closed({ documents: Type.Array(closed({ uri: Uri, media_type: Name })) }),
    sandbox: closed({
      enabled: Type.Boolean(),
      journeys: Type.Array(Word, { uniqueItems: true, description: "Those that run here now" }),
      key: closed({ key_id: KeyId, public_jwk: PublicJwk, agent_id: AgentId }),
    }),
    planning: closed({ enabled: Type.Boolean(), flag: Name }),
    limits: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
    valid_as_of: DateTime,
    expires_at: DateTime,
    ...endMembers,
  },
  { $id: "agent_bootstrapResponse" },
)
export type AgentBootstrapResponse = Static<typeof AgentBootstrapResponse>

export const agentBootstrap = operation({
  ...foundationRow,
  id: "agent_bootstrap",
  path: "/v1/agent-mode/bootstrap",
  exampleBody: bootstrapExample,
  summary: "The steps to what an agent asks for, and the documents, keys and limits that they need; nothing is stored",
  body: AgentBootstrapRequest,
  responses: {
    200: { description: "Steps, computed for this request", schema: AgentBootstrapResponse },
    ...FOUNDATION_PROBLEMS,
  },
  rateLimit: { group: "agent-mode-bootstrap", perMinute: 30 },
  tool: "READ",
})

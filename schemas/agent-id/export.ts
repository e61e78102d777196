/** The export bundle: everything that an offline reader needs to check an identity's history without trusting the sender of the bundle. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, SignatureObject, signedDocument } from "../common.ts"
import { Jwks } from "../discovery/jwks.ts"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { text } from "../text.ts"
import { AGENT_ID, NOT_A_CLAIM } from "./belonging.ts"
import { Limitations } from "./challenge.ts"
import { AgentStatus } from "./identity.ts"
import { KeyEvent } from "./key-event.ts"
import { EventReceiptPayload, EventSignature } from "./proof.ts"

/** Maximum number of events of one identity in a bundle. */
export const EXPORT_EVENTS_MAX = 1000
/** Maximum length of a bundle. The verifier rejects longer texts unread. */
export const EXPORT_BYTES_MAX = 4 * 1024 * 1024
/** Maximum number of service identities in a bundle: one per use, and one more each time a recovery key was lost. */
const SERVICE_IDENTITIES_MAX = 64

/** Base64 with padding, the form of hashes in C2SP notes. */
const Hash = Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$", description: "32 bytes, base64" })
const TreeIndex = Type.Integer({ minimum: 0 })
/** The paths of a tree of 2^53 leaves have 53 hashes. */
const InclusionPath = Type.Array(Hash, { maxItems: 53, description: "Leaf to root (RFC 6962 2.1.1)" })
const MapPath = Type.Array(Hash, { maxItems: 256, description: "Entry to root" })

export const LoggedEvent = closed({
  event: KeyEvent,
  signatures: Type.Array(EventSignature, { minItems: 1, maxItems: 2 }),
  receipt: signedDocument(EventReceiptPayload),
})
export type LoggedEvent = Static<typeof LoggedEvent>

const History = Type.Array(LoggedEvent, { minItems: 1, maxItems: EXPORT_EVENTS_MAX })

export const EventProof = closed({
  sequence: TreeIndex,
  log_index: TreeIndex,
  map_root: Type.String({
    pattern: "^[A-Za-z0-9+/]{43}=$",
    description: "Root of the map after the event, base64: the leaf holds it",
  }),
  inclusion_path: InclusionPath,
})
export type EventProof = Static<typeof EventProof>

const EventProofs = Type.Array(EventProof, {
  minItems: 1,
  maxItems: EXPORT_EVENTS_MAX,
  description: "One for each event, in the order of the events",
})

/**
 * A key history of the service itself, with the same proofs as the agent's. Without the proofs, anyone could present keys as those of the
 * service.
 */
export const ServiceHistory = closed({
  agent_id: AgentId,
  use: enumeration("statement", "log"),
  events: History,
  event_proofs: EventProofs,
  map_path: MapPath,
})
export type ServiceHistory = Static<typeof ServiceHistory>

export const AgentExportBundle = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    bundle_type: Type.Literal("svc.agent-identity.export.v1"),
    agent_id: AgentId,
    exported_at: DateTime,
    status_as_of: closed({
      as_of: DateTime,
      limitation: Type.Literal("STATUS_AS_OF_EXPORT"),
      statement: Type.Literal("Later rotation or revocation is not visible in this bundle"),
      online_status_uri: text(1, 640),
    }),
    key_event_log: History,
    status: AgentStatus,
    transparency: closed({
      checkpoint: text(1, 16_384, { description: "C2SP signed note" }),
      event_proofs: EventProofs,
      currency_proof: closed({
        last_leaf: Type.String({ pattern: "^[A-Za-z0-9+/]{128}$", description: "96 bytes, base64" }),
        leaf_index: TreeIndex,
        inclusion_path: InclusionPath,
        map_path: MapPath,
      }),
    }),
    service_keys: closed({
      key_event_log: Type.Array(ServiceHistory, { minItems: 2, maxItems: SERVICE_IDENTITIES_MAX }),
      jwks: Jwks,
    }),
    verification_procedure: closed({
      id: Type.Literal("SVC-AGENT-BUNDLE-VERIFY-1"),
      steps: Type.Array(text(1, 300), { minItems: 1, maxItems: 32 }),
    }),
    claim: Type.Literal("KEY_CONTROL_ONLY"),
    limitations: Limitations,
    bundle_digest: digestOver("C14N of the bundle without bundle_digest and signature"),
    signature: SignatureObject,
  },
  { $id: "AgentExportBundle", description: "bundle_digest and signature cover the bundle without these two members" },
)
export type AgentExportBundle = Static<typeof AgentExportBundle>

export const exportIdentity = operation({
  id: "ExportAgentIdentity",
  tool: "READ",
  method: "GET",
  path: "/v1/agent-identities/{agentId}/export",
  summary: "Bundle that proves an identity's history offline, with an explicit status-as-of limitation",
  parameters: { agentId: AgentId },
  body: undefined,
  responses: {
    200: { description: "Export bundle", schema: AgentExportBundle },
    404: problem("Unknown or malformed agent id"),
    409: problem("History too long for one bundle"),
  },
  ...FREE,
  cors: "PUBLIC",
  rateLimit: { group: "agent-identity-exports", perMinute: 60 },
  partOf: AGENT_ID,
  intent: { name: "EXPORT_AGENT_IDENTITY", notFor: [...NOT_A_CLAIM, "CURRENT_STATUS"], planning: ["AGENT"] },
})

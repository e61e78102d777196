/** Builds and signs an export bundle from the results of one read transaction. Pure except for the signature. */
import type { AgentExportBundle, EventProof, LoggedEvent } from "../../../schemas/agent-id/export.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { encodeBase64 } from "../../core/bytes.ts"
import { canonicalize, canonicalMembers, joinMembers } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import { checkpointNote, type LogKey } from "../../core/sign-checkpoint.ts"
import { type Signer, signText } from "../../core/signer.ts"
import { formatInstant } from "../../core/time.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import type { ExportFacts, LoggedPlace, StoredEvent } from "../../store/identity/agent-export.ts"
import { signedStatus } from "./status.ts"

interface ExportTerms {
  readonly signer: Signer
  readonly logKey: LogKey
  readonly logOrigin: string
  readonly baseUrl: string
  readonly at: number
}

/** Instructions for a reader without the verifier. The module at the URI performs all of them. */
const STEPS = [
  "Read the bytes as strict JSON: no duplicate names, the canonical form, the closed schema.",
  "agent_id is svc:agent: and the first 24 bytes of SHA-256 of the canonical first event.",
  "Each event names the digest of the one before and carries the signatures its kind asks for, by keys active then.",
  "Derive the key states; the signed status names the same, the same head, and the size of the checkpoint's tree.",
  "The service's statement and log identities follow the same rules; the checkpoint is signed by the log's key, the pinned one or its successor.",
  "Each event is a leaf of the checkpoint's tree: map key, SHA-256 of the event, map root after it (RFC 6962).",
  "By the map root in the newest leaf no identity of the bundle has a newer event than its last one here.",
  "Receipts, status and bundle are signed by statement keys in use at the time each names.",
  "Report the age of the status, and compare with an earlier checkpoint or receipt if one is at hand.",
]

/** The bundle as canonical text. The text is long, so it is built once for the digest, the signature and the reply. */
export function exportText(facts: ExportFacts, terms: ExportTerms): string {
  const members = canonicalMembers(coveredBySignature(facts, terms))
  const covered = joinMembers(members)
  const signed = [
    ...members,
    ["bundle_digest", canonicalize(digestBytes(covered))],
    ["signature", canonicalize(signText(terms.signer, covered))],
  ] as [string, string][]
  return joinMembers(new Map(signed.sort(([a], [b]) => (a < b ? -1 : 1))))
}

type Covered = Omit<AgentExportBundle, "bundle_digest" | "signature">

function coveredBySignature(facts: ExportFacts, terms: ExportTerms): Covered {
  const { identity, history, head, lastLeaf } = facts
  const { signer, logOrigin, baseUrl, at } = terms
  const status = signedStatus(facts, { origin: logOrigin, tree_size: head.size }, signer, at)
  return {
    schema_version: "1.0.0",
    bundle_type: "svc.agent-identity.export.v1",
    agent_id: identity.agentId,
    exported_at: formatInstant(at),
    status_as_of: {
      as_of: status.payload.as_of,
      limitation: "STATUS_AS_OF_EXPORT",
      statement: "Later rotation or revocation is not visible in this bundle",
      online_status_uri: `${baseUrl}/v1/agent-identities/${identity.agentId}/status`,
    },
    key_event_log: history.events.map(loggedEvent),
    status,
    transparency: {
      checkpoint: checkpointNote({ origin: logOrigin, size: head.size, rootHash: head.rootHash }, terms.logKey),
      event_proofs: history.places.map(eventProof),
      currency_proof: {
        last_leaf: encodeBase64(lastLeaf.data),
        leaf_index: head.size - 1,
        inclusion_path: lastLeaf.inclusionPath.map(encodeBase64),
        map_path: history.mapPath.map(encodeBase64),
      },
    },
    service_keys: {
      key_event_log: facts.service.map((own) => ({
        agent_id: own.agentId,
        use: own.use,
        events: own.events.map(loggedEvent),
        event_proofs: own.places.map(eventProof),
        map_path: own.mapPath.map(encodeBase64),
      })),
      jwks: publishedKeys(facts.serviceKeys, { revoked: true }),
    },
    verification_procedure: { id: "SVC-AGENT-BUNDLE-VERIFY-1", steps: [...STEPS] },
    claim: "KEY_CONTROL_ONLY",
    limitations: [...AGENT_ID_LIMITATIONS],
  }
}

function loggedEvent({ eventJson, signaturesJson, receiptJson }: StoredEvent): LoggedEvent {
  return { event: JSON.parse(eventJson), signatures: JSON.parse(signaturesJson), receipt: JSON.parse(receiptJson) }
}

function eventProof({ logIndex, mapRoot, inclusionPath }: LoggedPlace, sequence: number): EventProof {
  return {
    sequence,
    log_index: logIndex,
    map_root: encodeBase64(mapRoot),
    inclusion_path: inclusionPath.map(encodeBase64),
  }
}

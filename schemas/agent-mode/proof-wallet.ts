/**
 * The proof wallet (Interface, "Agent-mode foundation"): an agent keeps proofs that it bought or received, by digest or with the document.
 * CHOICE: the interface names the four schemas and does not show their members.
 */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, type Digest, digestOver, enumeration } from "../common.ts"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { text } from "../text.ts"
import { importExample, inventoryExample } from "./example-bodies.ts"
import { ACTIVE_HEADERS, contractMembers, endMembers, Word } from "./notation.ts"
import { ArtifactType, WalletArtifact } from "./wallet-artifact.ts"

export const WALLET_PATH = "/v1/agent-mode/proof-wallet"
export const IMPORT_BYTES_MAX = 1024 * 1024
export const PAGE_ENTRIES_MAX = 100
export const PAGE_DOCUMENTS_MAX = 10

export const WalletEnvironment = enumeration("SANDBOX", "LIVE")
export type WalletEnvironment = Static<typeof WalletEnvironment>

const orNull = <T extends typeof DateTime | typeof Digest | typeof Word>(schema: T) => Type.Union([schema, Type.Null()])

const Retention = closed({
  mode: enumeration("DIGEST_ONLY", "SIGNED_DOCUMENT"),
  until: { ...DateTime, description: "At most 400 days ahead. A time that is not ahead ends the entry: it is deleted" },
})
export type Retention = Static<typeof Retention>

/** REVOKED: the signing key or the token of a change. The first that holds, in this order. */
export const ReuseState = enumeration("REVOKED", "EXPIRED", "NOT_REUSABLE", "REUSABLE")
export type ReuseState = Static<typeof ReuseState>

const EntryId = Type.String({ pattern: "^wal_[A-Za-z0-9_-]{22}$" })
const Issuer = text(1, 200)

export const ImportProofWalletArtifact = closed(
  {
    ...contractMembers,
    environment: WalletEnvironment,
    idempotency_key: text(8, 120),
    artifact: WalletArtifact,
    retention: Retention,
  },
  { $id: "import_proof_wallet_artifactRequest" },
)
export type ImportProofWalletArtifact = Static<typeof ImportProofWalletArtifact>

/** What the service found when it verified the artifact for this entry. `limitations` say whether this import verified it. */
export const WalletVerification = closed({
  key_status: enumeration("ACTIVE", "ROTATED", "REVOKED_AFTER_LOGGING"),
  record: enumeration("MATCHES", "NOT_KEPT"),
  temporal: enumeration("CURRENT", "EXPIRED", "NO_END"),
  subject: enumeration("OWN", "OTHER", "NONE"),
})
export type WalletVerification = Static<typeof WalletVerification>

const ArtifactDigest = digestOver(
  "C14N of the imported document without its signatures: the digest that the document itself names",
)

export const ImportedProofWalletArtifact = closed(
  {
    ...contractMembers,
    wallet_entry_id: EntryId,
    artifact_type: ArtifactType,
    artifact_digest: ArtifactDigest,
    issuer: Issuer,
    environment: WalletEnvironment,
    verification: WalletVerification,
    imported_at: DateTime,
    valid_until: orNull(DateTime),
    reuse_state: ReuseState,
    retention: Retention,
    replayed: Type.Boolean({ description: "True if this idempotency key was answered before" }),
    ...endMembers,
  },
  { $id: "import_proof_wallet_artifactResponse" },
)
export type ImportedProofWalletArtifact = Static<typeof ImportedProofWalletArtifact>

const Filter = closed({
  artifact_types: Type.Array(ArtifactType, { maxItems: 7, uniqueItems: true, description: "None: all" }),
  validity: enumeration("CURRENT", "EXPIRED", "ANY"),
  issuer: Type.Union([Issuer, Type.Null()]),
})
export type WalletFilter = Static<typeof Filter>

export const GetProofWalletInventory = closed(
  {
    ...contractMembers,
    environment: WalletEnvironment,
    filter: Filter,
    page: closed({
      limit: Type.Integer({ minimum: 1, maximum: PAGE_ENTRIES_MAX }),
      cursor: Type.Union([text(1, 1024), Type.Null()], { description: "`next_cursor` of the page before" }),
    }),
    include_documents: Type.Optional(Type.Boolean({ description: "With true, `page.limit` is at most 10" })),
  },
  { $id: "get_proof_wallet_inventoryRequest" },
)
export type GetProofWalletInventory = Static<typeof GetProofWalletInventory>

const Entry = closed({
  wallet_entry_id: EntryId,
  artifact_type: ArtifactType,
  artifact_digest: ArtifactDigest,
  subject_digest: orNull(
    digestOver("C14N of the digests of the subjects that the document names, or null if it names none"),
  ),
  issuer: Issuer,
  valid_as_of: orNull(DateTime),
  valid_until: orNull(DateTime),
  retained_until: DateTime,
  reuse_state: ReuseState,
  reuse_reason: orNull(Word),
  document: Type.Optional(
    Type.Object({}, { description: "As it was imported; a token in it is empty, and an invitation is null" }),
  ),
})
export type WalletEntryView = Static<typeof Entry>

export const ProofWalletInventory = closed(
  {
    ...contractMembers,
    agent_id: AgentId,
    environment: WalletEnvironment,
    as_of: DateTime,
    entries: Type.Array(Entry, { maxItems: PAGE_ENTRIES_MAX }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    inventory_digest: digestOver("C14N of entries, which are those of this page"),
    ...endMembers,
  },
  { $id: "get_proof_wallet_inventoryResponse" },
)
export type ProofWalletInventory = Static<typeof ProofWalletInventory>

const SIGNED_BY_AGENT = {
  ...FREE,
  method: "POST",
  authentication: "AGENT_ED25519",
  headers: ACTIVE_HEADERS,
  cors: "NONE",
} as const

const problems = {
  503: problem("The store is unavailable; nothing was recorded"),
} as const

export const importProofWalletArtifact = operation({
  ...SIGNED_BY_AGENT,
  exampleBody: importExample,
  id: "import_proof_wallet_artifact",
  path: `${WALLET_PATH}/artifacts`,
  summary: "Verify a proof and keep it, by digest or with the document, until a time that the agent names",
  body: ImportProofWalletArtifact,
  bodyBytesMax: IMPORT_BYTES_MAX,
  responses: {
    200: {
      description: "Kept or ended; limitations say whether this document was verified now",
      schema: ImportedProofWalletArtifact,
    },
    ...problems,
    403: problem("No signature of the agent, or another environment, provider or economic rail"),
    409: problem("Nonce spent, or idempotency key used for another body"),
    422: problem("Signature parameters, closed schema, private key, retention, or the artifact is rejected"),
    429: problem("Too many requests from this address, or the wallet is full"),
  },
  rateLimit: { group: "agent-mode-imports", perMinute: 30 },
})

export const getProofWalletInventory = operation({
  ...SIGNED_BY_AGENT,
  exampleBody: inventoryExample,
  id: "get_proof_wallet_inventory",
  path: `${WALLET_PATH}/inventory`,
  summary: "The agent's own wallet entries, page by page, and which of them may be reused",
  body: GetProofWalletInventory,
  bankData: "REFUSED",
  responses: {
    200: { description: "One page", schema: ProofWalletInventory },
    ...problems,
    403: problem("No signature of the agent, or a payment header"),
    409: problem("Nonce spent"),
    422: problem("Signature parameters, closed schema, private key, or the cursor"),
  },
  rateLimit: { group: "agent-mode-inventory", perMinute: 60 },
})

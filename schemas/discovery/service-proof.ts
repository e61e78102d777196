/**
 * The signed service proof: which program runs here now, with which keys, documents and log. CHOICE: the interface does not show the body.
 */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, Identifier, KeyId, signedDocument } from "../common.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import { problem } from "../problem.ts"
import { text } from "../text.ts"
import { Name } from "./document-members.ts"

export const ServiceProofPayload = closed({
  domain: Type.Literal("svc.service-proof.v1"),
  schema_version: Type.Literal("1.0.0"),
  base_url: Type.String(),
  issuer: Identifier,
  service_agent_id: AgentId,
  /** The keys that sign now. The statement key signed this proof; the log key signed the checkpoint. */
  service_keys: Type.Array(
    closed({
      key_id: KeyId,
      public_jwk: closed({
        kty: Type.Literal("OKP"),
        crv: Type.Literal("Ed25519"),
        x: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
      }),
      use: enumeration("statement", "log", "sandbox"),
    }),
    { minItems: 1, maxItems: 3 },
  ),
  build: closed({
    version: Name,
    commit: Name,
    binary_digest: Type.Union([
      digestOver("the bytes of the file of the running program, or null if it runs from source"),
      Type.Null(),
    ]),
  }),
  /** Digests of the exact bytes of the two documents, before content coding. */
  capability_manifest_digest: digestOver("the bytes of the capability manifest as served without content coding"),
  openapi_digest: Type.Union([
    digestOver("the bytes of the OpenAPI document as served without content coding"),
    Type.Null(),
  ]),
  log: closed({ origin: Name, checkpoint: text(1, 4096) }),
  issued_at: DateTime,
  valid_until: DateTime,
})
export type ServiceProofPayload = Static<typeof ServiceProofPayload>

export const ServiceProof = signedDocument(ServiceProofPayload, { $id: "ServiceProof" })
export type ServiceProof = Static<typeof ServiceProof>

export const getServiceProof = operation({
  ...PUBLIC_READ,
  id: "get_service_proof",
  path: "/v1/agent/service-proof",
  summary: "A signed statement, valid for 60 seconds, of the program, keys, documents and log of this service",
  responses: {
    200: { description: "Signed proof, at most 30 seconds old", schema: ServiceProof },
    503: problem("The signing key has expired"),
  },
  tool: "READ",
})

/**
 * The signed capability manifest. It contains the digest of every other document of its generation, so one signature covers all of them.
 * CHOICE: the interface does not show the body.
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, Identifier, signedDocument } from "../common.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import {
  Authentication,
  CoverageLine,
  ExternalIndexChannel,
  Jurisdiction,
  Lifecycle,
  Method,
  Name,
  NameOrNull,
  Price,
  RoutePath,
} from "./document-members.ts"
import { documentReplies } from "./document-replies.ts"

export const OPENAPI_PATH = "/v1/openapi.json"

const ServedDigest = digestOver("the bytes of the document as served without content coding")

export const CapabilityManifestPayload = closed({
  domain: Type.Literal("svc.capability-manifest.v1"),
  schema_version: Type.Literal("1.0.0"),
  manifest_version: Type.Literal("1.0.0"),
  base_url: Type.String(),
  issuer: Identifier,
  issued_at: DateTime,
  valid_until: DateTime,
  openapi: Type.Union(
    [
      closed({
        version: Type.Literal("3.0.0"),
        digest: ServedDigest,
      }),
      Type.Null(),
    ],
    {
      description: "Version of the interface, and digest of the OpenAPI document; null if the service has none",
    },
  ),
  canonicalization: closed({ name: Type.Literal("SVC-C14N-JSON-1"), definition_uri: Type.String() }),
  products: Type.Array(
    closed({
      product_id: Name,
      solution_id: NameOrNull,
      operation_id: Name,
      method: Method,
      route: RoutePath,
      jurisdiction: Jurisdiction,
      price: Price,
      network: Name,
      lifecycle: Lifecycle,
    }),
  ),
  operations: Type.Array(
    closed({
      operation_id: Name,
      method: Method,
      path: RoutePath,
      authentication: Authentication,
      charge: Type.Boolean(),
      external_source_calls: Type.Boolean({ description: "True if a call may query a live source of a publisher" }),
      lifecycle: Lifecycle,
    }),
  ),
  discovery_documents: Type.Array(
    closed({
      path: RoutePath,
      media_type: Name,
      digest: ServedDigest,
    }),
    {
      description: "Every other document of the generation, with the digest of its exact bytes before content coding",
    },
  ),
  external_index_channels: Type.Array(ExternalIndexChannel),
  data_policy: closed({
    private_keys_accepted: Type.Literal(false),
    raw_bank_data_accepted: Type.Literal(false),
    identity_directory: Type.Literal(false),
  }),
  coverage: Type.Array(CoverageLine),
  limitations: Type.Array(Name),
})
export type CapabilityManifestPayload = Static<typeof CapabilityManifestPayload>

export const CapabilityManifest = signedDocument(CapabilityManifestPayload, { $id: "CapabilityManifest" })
export type CapabilityManifest = Static<typeof CapabilityManifest>

export const getCapabilityManifest = operation({
  ...PUBLIC_READ,
  id: "get_rop_capability_manifest",
  path: "/.well-known/svc-capabilities.json",
  summary: "The signed capability manifest: routes, products, and the digest of every other discovery document",
  responses: {
    200: { description: "Signed manifest, valid for 24 hours", schema: CapabilityManifest },
    ...documentReplies,
  },
})

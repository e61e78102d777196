import type { AiCatalog, CatalogEntry } from "../../../schemas/discovery/ai-catalog.ts"
import { getAgentCard, getMcpServerCard } from "../../../schemas/discovery/documents.ts"
import { documentUri, mediaTypeOf, servedAt } from "../links.ts"
import type { DocumentParts } from "../parts.ts"
import { subjects } from "../subjects.ts"

const NAME = "Business Authorization Service"
const OPENAPI_PATH = "/v1/openapi.json"

/** The documents that the catalogue names, each with its kind in the identifier. */
const WAYS = [
  { kind: "mcp", path: getMcpServerCard.path, by: "MCP", description: "Free and paid operations as MCP tools" },
  { kind: "a2a", path: getAgentCard.path, by: "A2A", description: "Free operations as A2A messages" },
  { kind: "openapi", path: OPENAPI_PATH, by: "OpenAPI 3.1", description: "Every HTTP route with its schemas" },
] as const

/** Prints the catalogue. A document that is not served is left out. */
export function aiCatalog(parts: DocumentParts): AiCatalog {
  const documentation = documentUri(parts, OPENAPI_PATH)
  return {
    specVersion: "1.0",
    host: { displayName: NAME, ...(documentation && { documentationUrl: documentation }) },
    entries: WAYS.flatMap((way) => entryOf(parts, way)),
  }
}

function entryOf(parts: DocumentParts, { kind, path, by, description }: (typeof WAYS)[number]): CatalogEntry[] {
  const row = servedAt(parts, "GET", path)
  if (!row) return []
  const { baseUrl, operations } = parts
  const host = new URL(baseUrl).hostname.replace(/[^a-zA-Z0-9.-]/g, "-")
  const proof = documentUri(parts, "/v1/agent/service-proof")
  return [
    {
      identifier: `urn:air:${host}:business-authorization:${kind}`,
      displayName: `${NAME} (${by})`,
      type: mediaTypeOf(row),
      url: `${baseUrl}${path}`,
      description,
      tags: ["business-authorization", ...subjects(operations).map(({ id }) => id)],
      ...(proof && {
        trustManifest: {
          identity: baseUrl,
          identityType: "https",
          attestations: [{ type: "service-proof", uri: proof, mediaType: "application/json" }],
        },
      }),
    },
  ]
}

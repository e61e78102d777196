import type { AgentMap } from "../../../schemas/discovery/agent-map.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { externalChannels } from "../external-channels.ts"
import { mediaTypeOf } from "../links.ts"
import type { DocumentParts } from "../parts.ts"
import { publicDocuments } from "../public-documents.ts"
import { journeys } from "./journeys.ts"

const ENDPOINTS = ["/v1/agent/mcp", "/v1/agent/a2a"]

/** Prints the route map. Every journey and entry point names served rows only. */
export function agentMap(parts: DocumentParts): AgentMap {
  const { baseUrl, issuerName, operations, version } = parts
  return {
    schema_version: "1.0.0",
    service: { name: "Business Authorization Service", issuer: issuerName, base_url: baseUrl, version },
    entry_points: entryPoints(operations).map((row) => ({
      purpose: row.summary,
      uri: `${baseUrl}${row.path}`,
      media_type: mediaTypeOf(row),
    })),
    journeys: journeys(parts),
    external_index_channels: externalChannels(),
  }
}

/** The documents that a caller may read without knowing anything, and the two endpoints that run operations by name. */
function entryPoints(operations: readonly Operation[]): Operation[] {
  const documents = new Set(publicDocuments(operations))
  return operations.filter((row) => ENDPOINTS.includes(row.path) || documents.has(row))
}

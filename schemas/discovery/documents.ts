/** The discovery documents that are printed from the served rows (Interface, "Discovery documents"). */
import type { TSchema } from "@sinclair/typebox"
import { operation, PUBLIC_READ } from "../operation.ts"
import { AgentCard } from "./agent-card.ts"
import { AgentMap } from "./agent-map.ts"
import { AiCatalog } from "./ai-catalog.ts"
import { documentReplies } from "./document-replies.ts"
import { McpServerCard } from "./server-card.ts"
import { SvcIntents } from "./svc-intents.ts"

interface Document {
  readonly id: string
  readonly path: string
  readonly summary: string
  readonly schema: TSchema
  readonly mediaType: string
}

function document({ id, path, summary, schema, mediaType }: Document) {
  return operation({
    ...PUBLIC_READ,
    id,
    path,
    summary,
    responses: {
      200: { description: "The document of the current generation", schema, mediaType },
      ...documentReplies,
    },
  })
}

export const getSvcIntents = document({
  id: "get_svc_intents",
  path: "/.well-known/svc-intents.json",
  summary: "Which need each route meets, what it costs, what it must be told, and which needs it does not meet",
  schema: SvcIntents,
  mediaType: "application/json",
})

export const getAiCatalog = document({
  id: "get_ai_catalog",
  path: "/.well-known/ai-catalog.json",
  summary: "Catalogue of the ways to call this service: MCP, A2A, OpenAPI",
  schema: AiCatalog,
  mediaType: "application/ai-catalog+json",
})

export const getAgentCard = document({
  id: "get_agent_card",
  path: "/.well-known/agent-card.json",
  summary: "Signed A2A agent card, protocol version 1.0",
  schema: AgentCard,
  mediaType: "application/a2a-agent-card+json",
})

export const getMcpServerCard = document({
  id: "get_mcp_server_card",
  path: "/.well-known/mcp/server-card.json",
  summary: "MCP server card: where the endpoint is and which protocol versions it speaks",
  schema: McpServerCard,
  mediaType: "application/mcp-server-card+json",
})

/** The same bytes at the place that the draft of the server card reserves. */
export const getMcpEndpointCard = document({
  id: "get_mcp_endpoint_card",
  path: "/v1/agent/mcp/server-card",
  summary: getMcpServerCard.summary,
  schema: McpServerCard,
  mediaType: "application/mcp-server-card+json",
})

export const getAgentMap = document({
  id: "get_agent_map",
  path: "/.well-known/agent-map.json",
  summary: "Route map for agents: where to begin, and the calls of each journey in their order",
  schema: AgentMap,
  mediaType: "application/json",
})

import { agentMcp, MCP_TOOL_SET_NAMES, MCP_TOOL_SETS, MCP_VERSIONS } from "../../../schemas/discovery/mcp.ts"
import { type McpServerCard, SERVER_CARD_SCHEMA } from "../../../schemas/discovery/server-card.ts"
import { documentUri, servedAt } from "../links.ts"
import { mcpServerInfo } from "../mcp-server.ts"
import type { DocumentParts } from "../parts.ts"
import { soldOperations } from "../sold.ts"

/** Prints the card of the MCP endpoint. Throws if the endpoint is not served. */
export function mcpServerCard(parts: DocumentParts): McpServerCard {
  const { baseUrl, version, operations } = parts
  if (!servedAt(parts, "POST", agentMcp.path)) throw new Error("the server card needs the MCP endpoint")
  const website = documentUri(parts, "/")
  const openapi = documentUri(parts, "/v1/openapi.json")
  const { name, title, version: serverVersion } = mcpServerInfo(baseUrl, version)
  return {
    $schema: SERVER_CARD_SCHEMA,
    name,
    version: serverVersion,
    description: "Verifiable business-authorization answers for agents, and a free key-control identity.",
    title,
    ...(website && { websiteUrl: website }),
    remotes: [
      { type: "streamable-http", url: `${baseUrl}${agentMcp.path}`, supportedProtocolVersions: [...MCP_VERSIONS] },
    ],
    _meta: {
      "svc/tool-sets": MCP_TOOL_SET_NAMES.map((set) => ({
        name: set,
        description: MCP_TOOL_SETS[set],
        query: `sets=${set}`,
      })),
      "svc/products": soldOperations(operations).map(({ product }) => product.id),
      "svc/limitations": [
        "RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF",
        "PAID_TOOLS_ANSWER_A_QUOTE_FIRST",
        "TOOLS_LIST_IS_A_DEFAULT_SET",
      ],
      ...(openapi && { "svc/openapi": openapi }),
    },
  }
}

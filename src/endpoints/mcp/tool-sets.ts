/** Which sets of tools a client asks for in the address of the endpoint. */
import { MCP_TOOL_SET_NAMES, type ToolSet } from "../../../schemas/discovery/mcp.ts"
import { INVALID_PARAMS, McpError } from "./mcp-error.ts"

const ANSWERED = 200

/**
 * Reads `?sets=a,b`. Throws {@link McpError} for a name that no set has; its text names those that exist. An empty name is none, and a name
 * may come twice.
 */
export function requestedSets(query: string): readonly ToolSet[] {
  const names = new URLSearchParams(query).getAll("sets").flatMap((text) => text.split(","))
  const requested = names.map((name) => name.trim()).filter((name) => name !== "")
  if (requested.every(isSet)) return MCP_TOOL_SET_NAMES.filter((name) => requested.includes(name))
  throw new McpError(
    INVALID_PARAMS,
    `Unknown set of tools: ?sets= takes ${MCP_TOOL_SET_NAMES.join(", ")}, separated by commas`,
    ANSWERED,
    { known: MCP_TOOL_SET_NAMES },
  )
}

function isSet(name: string): name is ToolSet {
  return (MCP_TOOL_SET_NAMES as readonly string[]).includes(name)
}

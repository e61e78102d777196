/** The MCP endpoint (Interface, "Discovery documents"): JSON-RPC 2.0 over Streamable HTTP, one message or one batch in each POST. */
import { type Static, Type } from "@sinclair/typebox"
import { FREE, operation } from "../operation.ts"
import { text } from "../text.ts"
import { RpcId, RpcMembers, rpcResponse } from "./json-rpc.ts"

/** Revision in which each request names its version and its capabilities. */
export const MCP_MODERN_VERSIONS = ["2026-07-28"] as const
/** The one revision with batches, which is also that of a client that names none. */
export const MCP_BATCH_VERSION = "2025-03-26"
/** Most messages of a batch. */
export const MCP_BATCH_MAX = 16
/** Revisions that begin with `initialize`. The first one is offered to a client that asks for another. */
export const MCP_LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", MCP_BATCH_VERSION, "2024-11-05"] as const
/** Newest first. The server card and `server/discover` list the same versions. */
export const MCP_VERSIONS: readonly string[] = [...MCP_MODERN_VERSIONS, ...MCP_LEGACY_VERSIONS]

/**
 * Sets of tools that `tools/list` has only when a client asks for them (`?sets=`) or the operator lists them (setting `mcp_sets`): a model
 * that reads every tool before it acts chooses worse. Any tool may always be called.
 */
export const MCP_TOOL_SETS = {
  identity: "Read, rotate, revoke and verify Agent IDs",
  planning: "Readiness, exact prices, routes and reuse of evidence",
  sales: "Signed dialogues, offers and the Intent Beacon",
  sandbox: "Rehearsals over synthetic facts",
} as const
export type ToolSet = keyof typeof MCP_TOOL_SETS
export const MCP_TOOL_SET_NAMES = Object.keys(MCP_TOOL_SETS) as readonly ToolSet[]

const open = { additionalProperties: true } as const

/**
 * A request (`id` and `method`), a notification (`method`) or a response (`id`). Open, because each revision of the protocol adds members.
 * An empty member is left out before the check.
 */
export const McpMessage = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Optional(RpcId),
    method: Type.Optional(text(1, 256)),
    params: Type.Optional(RpcMembers),
    result: Type.Optional(RpcMembers),
    error: Type.Optional(RpcMembers),
  },
  { ...open, $id: "McpMessage" },
)
export type McpMessage = Static<typeof McpMessage>

/** Each message is checked for itself, so that each gets its own answer. */
const McpBatch = Type.Array(Type.Unknown(), {
  minItems: 1,
  maxItems: MCP_BATCH_MAX,
  description: `Messages of a client of revision ${MCP_BATCH_VERSION}; the answer is the list of their responses`,
})

export const McpBody = Type.Union([McpMessage, McpBatch], { $id: "McpBody" })

const McpError = Type.Object(
  { code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) },
  { description: "JSON-RPC error; data of a refused HTTP request is its problem document" },
)

export const McpResponse = rpcResponse(McpError, "McpResponse")

/** The responses of a batch, in the order of its requests. */
const McpResponses = Type.Array(McpResponse, { minItems: 1, maxItems: MCP_BATCH_MAX })

/** A refusal of the endpoint: a JSON-RPC error in a response with this status. */
const refused = (description: string) => ({ description, schema: McpResponse })

export const agentMcp = operation({
  ...FREE,
  id: "agent_mcp",
  method: "POST",
  path: "/v1/agent/mcp",
  summary:
    "Model Context Protocol over Streamable HTTP, JSON answers only, revisions 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05; the query sets=a,b adds sets of tools to tools/list",
  body: McpBody,
  otherMethods:
    "It speaks MCP over Streamable HTTP with JSON answers: it opens no event stream, and the HTTP+SSE transport of 2024-11-05 is not served. POST each message.",
  schemaFaultStatus: 400,
  exampleBody: { jsonrpc: "2.0", id: 1, method: "ping" },
  responses: {
    200: {
      description: "The JSON-RPC response of a request, or those of a batch",
      schema: Type.Union([McpResponse, McpResponses]),
    },
    202: { description: "Nothing but notifications and responses; no body" },
    400: refused(
      "-32700 not strict JSON, -32600 no message or a batch over 16, -32602 without _meta, -32020 headers, -32022 version",
    ),
    403: refused("The Origin or the Host is not accepted"),
    404: refused("-32601: no such method in revision 2026-07-28"),
    413: refused("The body is over 64 KiB"),
    415: refused("The body is not application/json"),
    429: refused("Too many requests from this address"),
    503: refused("The service cannot take work now"),
  },
  cors: "NONE",
  rateLimit: { group: "mcp", perMinute: 600 },
})

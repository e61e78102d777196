/** Answers one message of MCP. */
import type { McpMessage, ToolSet } from "../../../schemas/discovery/mcp.ts"
import { mcpServerInfo } from "../../discovery/mcp-server.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { ServedOperations } from "../../http/served.ts"
import type { Shell } from "../../http/shell.ts"
import { type Era, type McpRequest, requireEra } from "./era.ts"
import { errorText, INVALID_REQUEST, idOf, McpError, METHOD_NOT_FOUND } from "./mcp-error.ts"
import { type Method, methodsOf } from "./methods.ts"
import { responseText } from "./result.ts"

export interface McpEndpointDeps {
  readonly shell: Shell & { readonly served: ServedOperations }
  /** Version of the program. */
  readonly version: string
  /** True if the service listens on a loopback address only. */
  readonly isLocal: boolean
  /** Sets of tools that every client lists. */
  readonly sets: readonly ToolSet[]
}

const ACCEPTED: Reply = { status: 202, body: null, headers: Object.freeze({}) }
const BAD_REQUEST = 400

export function mcpReplies({ shell, version, sets }: McpEndpointDeps): (call: Call<McpMessage>) => Promise<Reply> {
  const server = () => mcpServerInfo(shell.baseUrl(), version)
  const methods = methodsOf({ served: shell.served, baseUrl: shell.baseUrl, server, sets })
  const serverMeta = `"io.modelcontextprotocol/serverInfo":${JSON.stringify(server())}`
  return (call) => replyTo(methods, call, serverMeta)
}

async function replyTo(
  methods: ReadonlyMap<string, Method>,
  call: Call<McpMessage>,
  serverMeta: string,
): Promise<Reply> {
  const message = call.body
  try {
    if (!isRequest(message)) return acceptedReply(message)
    const era = requireEra(message, call.headers)
    const { run } = methodOf(methods, message.method, era)
    const result = await run(message.params ?? {}, call)
    const text = responseText(idOf(message), era, result, serverMeta)
    return { status: 200, body: text, note: { ...result.note, ...noteOf(message, era) } }
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    return { status: error.status, body: errorText(idOf(message), error) }
  }
}

function isRequest(message: McpMessage): message is McpRequest {
  return message.id !== undefined && message.method !== undefined
}

/** 202 for a notification, and for a response, which earlier revisions allow. The service sent no request, so it waits for none. */
function acceptedReply(message: McpMessage): Reply {
  const isResponse = message.id !== undefined && (message.result !== undefined || message.error !== undefined)
  if (message.method === undefined && !isResponse) {
    throw new McpError(INVALID_REQUEST, "Not a request, a notification or a response", BAD_REQUEST)
  }
  return ACCEPTED
}

function methodOf(methods: ReadonlyMap<string, Method>, name: string, era: Era): Method {
  const method = methods.get(name)
  if (method && (method.only ?? era) === era) return method
  throw new McpError(METHOD_NOT_FOUND, "Method not found", era === "MODERN" ? 404 : 200)
}

/** The method of a known request and the name of its tool, for the log. Any other text was written by the caller. */
function noteOf({ method, params }: McpRequest, era: Era): Record<string, string> {
  const tool = method === "tools/call" ? params?.["name"] : undefined
  return { era, method, ...(typeof tool === "string" && { tool }) }
}

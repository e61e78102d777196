/** Answers one message of MCP, or one batch. */
import type { Static } from "@sinclair/typebox"
import { agentMcp, MCP_BATCH_VERSION, type McpBody, McpMessage, type ToolSet } from "../../../schemas/discovery/mcp.ts"
import { compiledAtFirstUse } from "../../core/compiled-at-first-use.ts"
import { MCP_VERSION_HEADER, metaOf } from "../../core/discovery/mcp-headers.ts"
import { mcpServerInfo } from "../../discovery/mcp-server.ts"
import type { Call, Reply } from "../../http/call.ts"
import { refusalOf } from "../../http/problem.ts"
import type { ServedOperations } from "../../http/served.ts"
import type { Shell } from "../../http/shell.ts"
import { idOf } from "./envelope.ts"
import { type Era, type McpRequest, requireEra } from "./era.ts"
import { errorText, INVALID_PARAMS, INVALID_REQUEST, McpError, METHOD_NOT_FOUND, refusedText } from "./mcp-error.ts"
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

type Body = Static<typeof McpBody>
/** Answers one message. */
type Answer = (message: McpMessage, call: Call<Body>) => Promise<Reply>

const ACCEPTED: Reply = { status: 202, body: null, headers: Object.freeze({}) }
const BAD_REQUEST = 400
const isMessage = compiledAtFirstUse(McpMessage)

export function mcpReplies({ shell, version, sets }: McpEndpointDeps): (call: Call<Body>) => Promise<Reply> {
  const server = () => mcpServerInfo(shell.baseUrl(), version)
  const methods = methodsOf({ served: shell.served, baseUrl: shell.baseUrl, server, sets })
  const serverMeta = `"io.modelcontextprotocol/serverInfo":${JSON.stringify(server())}`
  const answer: Answer = (message, call) => replyTo(methods, message, call, serverMeta)
  return (call) => (Array.isArray(call.body) ? replyToBatch(call.body, call, answer, shell) : answer(call.body, call))
}

async function replyTo(
  methods: ReadonlyMap<string, Method>,
  message: McpMessage,
  call: Call<Body>,
  serverMeta: string,
): Promise<Reply> {
  try {
    if (!isRequest(message)) return acceptedReply(message)
    requireMeta(message)
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

/**
 * Answers the messages of a batch one after the other, each as if it had come alone. CHOICE: each message after the first counts against the
 * limit of the endpoint like a request of its own, and a batch over the limit is refused as a whole, before any of it is done.
 */
async function replyToBatch(
  messages: readonly unknown[],
  call: Call<Body>,
  answer: Answer,
  { limiter, baseUrl }: Shell,
): Promise<Reply> {
  const version = call.headers.get(MCP_VERSION_HEADER)
  if (version !== null && version !== MCP_BATCH_VERSION) {
    const only = `Only revision ${MCP_BATCH_VERSION} has batches: send one message in each POST`
    return { status: BAD_REQUEST, body: errorText(null, new McpError(INVALID_REQUEST, only, BAD_REQUEST)) }
  }
  const { group, perMinute } = agentMcp.rateLimit
  for (const _ of messages.slice(1)) limiter.take(group, call.client, perMinute)
  const texts: string[] = []
  for (const message of messages) {
    try {
      const { body } = await answer(requireMember(message), call)
      if (typeof body === "string") texts.push(body)
    } catch (error) {
      const refused = refusalOf(error)
      if (error instanceof McpError) texts.push(errorText(idOf(message), error))
      else if (refused === null) throw error
      else texts.push(refusedText(refused, { ...call, path: agentMcp.path, baseUrl: baseUrl() }, idOf(message)))
    }
  }
  if (texts.length === 0) return ACCEPTED
  return { status: 200, body: `[${texts.join(",")}]`, note: { era: "LEGACY", method: "batch" } }
}

/** Returns a message of a batch. Throws {@link McpError} for anything else, and for one that must come alone. */
function requireMember(value: unknown): McpMessage {
  if (!isMessage().Check(value)) throw new McpError(INVALID_REQUEST, "Not a JSON-RPC message", BAD_REQUEST)
  const message = value as McpMessage
  if (message.method !== "initialize") return message
  throw new McpError(INVALID_REQUEST, "initialize comes alone, before any batch", BAD_REQUEST)
}

/** Throws {@link McpError} for metadata that is no object: what it says would be lost. */
function requireMeta({ params }: McpRequest): void {
  if (params?.["_meta"] === undefined || metaOf(params) !== null) return
  throw new McpError(INVALID_PARAMS, "params._meta must be an object", BAD_REQUEST)
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

/**
 * The MCP endpoint: one JSON-RPC message or one batch in each POST, as JSON in each answer. It keeps no session and opens no stream.
 */
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import { loadedAtFirstUse } from "../../core/at-first-use.ts"
import { serve } from "../../http/serve.ts"
import { callerGuard } from "./caller.ts"
import { idOf, withoutEmpty } from "./envelope.ts"
import { replyRefused } from "./mcp-error.ts"
import type { McpEndpointDeps } from "./reply-to-message.ts"

export function mcpEndpoint(deps: McpEndpointDeps) {
  const { shell, isLocal } = deps
  const replies = loadedAtFirstUse(async () => ({ reply: (await import("./reply-to-message.ts")).mcpReplies(deps) }))
  return serve(shell, agentMcp, replies("reply"), {
    normal: withoutEmpty,
    guard: callerGuard({ baseUrl: shell.baseUrl(), isLocal }),
    refusal: (refused, arrival) => replyRefused(refused, arrival, idOf(arrival.body)),
  })
}

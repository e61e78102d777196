/**
 * The A2A endpoint: JSON-RPC binding of protocol version 1.0. It keeps no task and opens no stream: each message is answered by one message.
 */
import { agentA2a } from "../../../schemas/discovery/a2a.ts"
import { loadedAtFirstUse } from "../../core/at-first-use.ts"
import { serve } from "../../http/serve.ts"
import { idOf, withoutEmpty } from "../mcp/envelope.ts"
import { replyRefused } from "./a2a-error.ts"
import type { A2aShell } from "./a2a-shell.ts"

export function a2aEndpoint(shell: A2aShell) {
  const replies = loadedAtFirstUse(async () => ({ reply: (await import("./reply-to-request.ts")).a2aReplies(shell) }))
  return serve(shell, agentA2a, replies("reply"), {
    normal: withoutEmpty,
    refusal: (refused, arrival) => replyRefused(refused, arrival, idOf(arrival.body)),
  })
}

/** Answers one request of the JSON-RPC binding. */
import { A2A_VERSION, type A2aRequest } from "../../../schemas/discovery/a2a.ts"
import type { Call, Reply } from "../../http/call.ts"
import {
  A2aError,
  errorText,
  METHOD_NOT_FOUND,
  PUSH_NOT_SUPPORTED,
  TASK_NOT_FOUND,
  UNSUPPORTED_OPERATION,
  VERSION_NOT_SUPPORTED,
} from "./a2a-error.ts"
import type { A2aShell } from "./a2a-shell.ts"
import { type MessageSender, messageSender, type SentMessage } from "./send-message.ts"
import { currentMethod, currentParams } from "./version-0-3.ts"

/** Methods of the protocol that this endpoint refuses. A task is never created, so no id of a task is known. */
const REFUSED = new Map([
  ["GetTask", TASK_NOT_FOUND],
  ["CancelTask", TASK_NOT_FOUND],
  ["ListTasks", UNSUPPORTED_OPERATION],
  ["SendStreamingMessage", UNSUPPORTED_OPERATION],
  ["SubscribeToTask", UNSUPPORTED_OPERATION],
  ["GetExtendedAgentCard", UNSUPPORTED_OPERATION],
  ["CreateTaskPushNotificationConfig", PUSH_NOT_SUPPORTED],
  ["GetTaskPushNotificationConfig", PUSH_NOT_SUPPORTED],
  ["ListTaskPushNotificationConfigs", PUSH_NOT_SUPPORTED],
  ["DeleteTaskPushNotificationConfig", PUSH_NOT_SUPPORTED],
])

export function a2aReplies(shell: A2aShell): (call: Call<A2aRequest>) => Promise<Reply> {
  const send = messageSender(shell)
  return (call) => replyTo(call, send)
}

/** CHOICE: an error of the protocol has status 200, as the official server sends it. A refused HTTP request keeps its own status. */
async function replyTo(call: Call<A2aRequest>, send: MessageSender): Promise<Reply> {
  const { id, method: given, params = {} } = call.body
  try {
    const older = currentMethod(given, call.headers.get("a2a-version"))
    if (older === null) requireVersion(call.headers)
    const method = older ?? given
    if (method !== "SendMessage") throw new A2aError(REFUSED.get(method) ?? METHOD_NOT_FOUND)
    const sent = await send(older === null ? params : currentParams(params), call)
    const result = older === null ? `{"message":${messageText(sent)}}` : olderMessageText(sent)
    return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, note: sent.note }
  } catch (error) {
    if (!(error instanceof A2aError)) throw error
    return { status: 200, body: errorText(id, error.kind, error.metadata), note: { code: error.kind.reason } }
  }
}

function messageText({ messageId, contextId, data, mediaType }: SentMessage): string {
  const parts = `[{"data":${data},"mediaType":"${mediaType}"}]`
  return `{"messageId":"${messageId}",${contextText(contextId)}"role":"ROLE_AGENT","parts":${parts}}`
}

/** In version 0.3 the result is the message itself, and a part has no media type. */
function olderMessageText({ messageId, contextId, data, mediaType }: SentMessage): string {
  const parts = `[{"kind":"data","data":${data},"metadata":{"mediaType":"${mediaType}"}}]`
  return `{"kind":"message","messageId":"${messageId}",${contextText(contextId)}"role":"agent","parts":${parts}}`
}

function contextText(contextId: string | null): string {
  return contextId === null ? "" : `"contextId":${JSON.stringify(contextId)},`
}

/** For the methods of 1.0. Those of 0.3 are served without the header, which that version does not have. */
function requireVersion(headers: Headers): void {
  if (headers.get("a2a-version") !== A2A_VERSION) {
    throw new A2aError(VERSION_NOT_SUPPORTED, {
      supported: A2A_VERSION,
      header: "A2A-Version",
      otherwise: "version 0.3: message/send",
    })
  }
}

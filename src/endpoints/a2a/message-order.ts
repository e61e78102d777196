import { isObject } from "../../core/strict-json.ts"
import { isEmpty } from "../mcp/envelope.ts"
import { A2aError, CONTENT_TYPE_NOT_SUPPORTED, INVALID_PARAMS, TASK_NOT_FOUND } from "./a2a-error.ts"

export type Members = Readonly<Record<string, unknown>>

/** What a message orders. */
interface MessageOrder {
  /** Id of an operation, as the caller wrote it. Null for a message in words: nobody here reads them. */
  readonly operation: string | null
  readonly input: Members
  /** The conversation of the caller, repeated in the answer. Null if there is none. */
  readonly contextId: string | null
}

const CONTEXT_CHARACTERS_MAX = 256

/** Reads the parameters of `SendMessage`. Throws {@link A2aError} for a message that orders nothing. */
export function messageOrder({ message }: Members): MessageOrder {
  if (!isObject(message)) throw wrong("message", "object")
  const { messageId, role, parts, taskId, contextId } = message
  if (typeof messageId !== "string" || messageId === "") throw wrong("message.messageId", "text")
  if (role !== "ROLE_USER") throw wrong("message.role", "ROLE_USER")
  if (typeof taskId === "string" && taskId !== "") throw new A2aError(TASK_NOT_FOUND)
  const [part, ...others] = Array.isArray(parts) ? (parts as unknown[]) : []
  if (others.length === 0 && isObject(part) && typeof part["text"] === "string") {
    return { operation: null, input: {}, contextId: contextOf(contextId) }
  }
  if (others.length > 0 || !isObject(part) || !isObject(part["data"])) {
    throw new A2aError(CONTENT_TYPE_NOT_SUPPORTED, { expected: "one part with data {operation, input}" })
  }
  const { operation, input: sent } = part["data"]
  const input = isEmpty(sent) ? {} : sent
  if (typeof operation !== "string") throw wrong(OPERATION_FIELD, OPERATION_EXPECTED)
  if (!isObject(input)) throw wrong("message.parts[0].data.input", "object")
  return { operation, input, contextId: contextOf(contextId) }
}

const OPERATION_FIELD = "message.parts[0].data.operation"
const OPERATION_EXPECTED = "id of a free tool or of a paid operation"

export function unknownOperation(): A2aError {
  return wrong(OPERATION_FIELD, OPERATION_EXPECTED)
}

function contextOf(contextId: unknown): string | null {
  if (isEmpty(contextId)) return null
  if (typeof contextId === "string" && contextId.length <= CONTEXT_CHARACTERS_MAX) return contextId
  throw wrong("message.contextId", `text of at most ${CONTEXT_CHARACTERS_MAX} characters`)
}

function wrong(field: string, expected: string): A2aError {
  return new A2aError(INVALID_PARAMS, { field, expected })
}

/** Errors of the A2A protocol: a JSON-RPC error whose `data` is a list of typed details (specification 1.0, 5.4 and 9.5). */
import type { ServiceError } from "../../base/errors.ts"
import { type ProblemContext, problemHeaders, problemOf } from "../../http/problem.ts"
import type { MessageId } from "../mcp/envelope.ts"

interface Kind {
  readonly code: number
  /** Reason of the ErrorInfo. */
  readonly reason: string
  readonly message: string
}

const PARSE_ERROR: Kind = { code: -32700, reason: "PARSE_ERROR", message: "Parse error" }
const INVALID_REQUEST: Kind = { code: -32600, reason: "INVALID_REQUEST", message: "Invalid request" }
export const METHOD_NOT_FOUND: Kind = { code: -32601, reason: "METHOD_NOT_FOUND", message: "Method not found" }
export const INVALID_PARAMS: Kind = { code: -32602, reason: "INVALID_PARAMS", message: "Invalid parameters" }
const INTERNAL_ERROR: Kind = { code: -32603, reason: "INTERNAL", message: "Internal error" }
export const TASK_NOT_FOUND: Kind = { code: -32001, reason: "TASK_NOT_FOUND", message: "Task not found" }
export const PUSH_NOT_SUPPORTED: Kind = {
  code: -32003,
  reason: "PUSH_NOTIFICATION_NOT_SUPPORTED",
  message: "Push notifications are not supported",
}
export const UNSUPPORTED_OPERATION: Kind = {
  code: -32004,
  reason: "UNSUPPORTED_OPERATION",
  message: "This method is not supported",
}
export const CONTENT_TYPE_NOT_SUPPORTED: Kind = {
  code: -32005,
  reason: "CONTENT_TYPE_NOT_SUPPORTED",
  message: "Incompatible content types",
}
export const VERSION_NOT_SUPPORTED: Kind = {
  code: -32009,
  reason: "VERSION_NOT_SUPPORTED",
  message: "Version not supported",
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
const DOMAIN = "a2a-protocol.org"

type Metadata = Readonly<Record<string, string>>

/** A request that is answered with an error of the protocol. `metadata` never repeats a value of the request. */
export class A2aError extends Error {
  constructor(
    readonly kind: Kind,
    readonly metadata: Metadata = {},
  ) {
    super(kind.message)
  }
}

/** The text of an error response. */
export function errorText(id: MessageId, { code, reason, message }: Kind, metadata: Metadata): string {
  const data = [{ "@type": ERROR_INFO, reason, domain: DOMAIN, metadata }]
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } })
}

/** Writes a refused HTTP request as a JSON-RPC error, with the status of the refusal and its problem as metadata. Null means a bug. */
export function replyRefused(refused: ServiceError | null, context: ProblemContext, id: MessageId): Response {
  const { status, code, detail, type, next_machine_action, retryable, request_id, errors } = problemOf(refused, context)
  const headers = problemHeaders(refused)
  headers.set("content-type", "application/json")
  const metadata = {
    code,
    detail,
    type,
    next_machine_action,
    retryable: String(retryable),
    request_id,
    ...(errors.length > 0 && { pointers: errors.map(({ pointer }) => pointer).join(" ") }),
  }
  return new Response(errorText(id, kindOf(refused), metadata), { status, headers })
}

function kindOf(refused: ServiceError | null): Kind {
  if (refused === null || refused.refusal.retryable) return INTERNAL_ERROR
  return refused.code === "MALFORMED_JSON" ? PARSE_ERROR : INVALID_REQUEST
}

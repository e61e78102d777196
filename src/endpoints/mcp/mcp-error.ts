/** Errors of the protocol: a JSON-RPC error object, and the HTTP status that carries it. */
import type { ServiceError } from "../../base/errors.ts"
import { type ProblemContext, problemHeaders, problemOf } from "../../http/problem.ts"

const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
/** Allocated by MCP revision 2026-07-28. */
export const HEADER_MISMATCH = -32020
export const UNSUPPORTED_VERSION = -32022

export type MessageId = string | number | null

/** A message that is rejected with a JSON-RPC error. */
export class McpError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly status: number,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

/** The text of a JSON-RPC error response. */
export function errorText(id: MessageId, { code, message, data }: Pick<McpError, "code" | "message" | "data">): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } })
}

/** Writes a refused HTTP request as JSON-RPC, with the status of the refusal and its problem document as `data`. Null means a bug. */
export function replyRefused(refused: ServiceError | null, context: ProblemContext, id: MessageId): Response {
  const problem = problemOf(refused, context)
  const headers = problemHeaders(refused)
  headers.set("content-type", "application/json")
  const error = { code: codeOf(refused), message: problem.title, data: problem }
  return new Response(errorText(id, error), { status: problem.status, headers })
}

function codeOf(refused: ServiceError | null): number {
  if (refused === null || refused.refusal.retryable) return INTERNAL_ERROR
  return refused.code === "MALFORMED_JSON" ? PARSE_ERROR : INVALID_REQUEST
}

/** Null for a body that was not read as a message. */
export function idOf(message: unknown): MessageId {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined
  return typeof id === "string" || typeof id === "number" ? id : null
}

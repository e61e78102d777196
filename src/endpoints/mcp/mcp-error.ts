/** Errors of the protocol: a JSON-RPC error object, and the HTTP status that carries it. */
import type { ServiceError } from "../../base/errors.ts"
import { type ProblemContext, problemHeaders, problemOf } from "../../http/problem.ts"
import type { MessageId } from "./envelope.ts"

const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
/** Allocated by MCP revision 2026-07-28. */
export const HEADER_MISMATCH = -32020
export const UNSUPPORTED_VERSION = -32022

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
  const { status } = problemOf(refused, context)
  const headers = problemHeaders(refused)
  headers.set("content-type", "application/json")
  return new Response(refusedText(refused, context, id), { status, headers })
}

/** The same as the text of a JSON-RPC error response. */
export function refusedText(refused: ServiceError | null, context: ProblemContext, id: MessageId): string {
  const problem = problemOf(refused, context)
  return errorText(id, { code: codeOf(refused), message: problem.title, data: problem })
}

function codeOf(refused: ServiceError | null): number {
  if (refused === null || refused.refusal.retryable) return INTERNAL_ERROR
  return refused.code === "MALFORMED_JSON" ? PARSE_ERROR : INVALID_REQUEST
}

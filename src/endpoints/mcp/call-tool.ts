/** Runs one tool call through the operation that HTTP serves: the same limit, schema, bank-data check and handler. */
import { metaOf } from "../../core/discovery/mcp-headers.ts"
import type { Call } from "../../http/call.ts"
import { refusalOf } from "../../http/problem.ts"
import type { Served } from "../../http/served.ts"
import { encodeHeader } from "../../payments/payment-header.ts"
import { argumentDivider } from "./arguments.ts"
import { INVALID_PARAMS, McpError } from "./mcp-error.ts"
import type { Result } from "./result.ts"
import { freeResult, paidResult, problemResult } from "./tool-result.ts"

type Members = Readonly<Record<string, unknown>>

const PAYMENT_META = "x402/payment"
const NO_HEADERS = new Headers()
const NO_MEMBERS: Members = Object.freeze({})
/** For JSON-RPC an error in the parameters is an answer, not a fault of HTTP. */
const ANSWERED = 200

export type ToolCaller = (params: Members, call: Call<unknown>) => Promise<Result>

/** Throws {@link McpError} for arguments that are no object, and any other error for a bug. A refusal is a result. */
export function toolCaller({ operation, invoke }: Served, baseUrl: () => string): ToolCaller {
  const divide = argumentDivider(operation)
  const isPaid = operation.product !== undefined
  return async (params, call) => {
    const given = argumentsOf(params)
    const { client, requestId, traceId, at } = call
    try {
      const reply = await invoke({
        ...divide(given),
        headers: isPaid ? paymentHeaders(params) : NO_HEADERS,
        bodyDigest: null,
        client,
        requestId,
        traceId,
        at,
      })
      return isPaid ? paidResult(reply) : freeResult(reply)
    } catch (error) {
      const refused = refusalOf(error)
      if (refused === null) throw error
      return problemResult(refused, { path: operation.path, baseUrl: baseUrl(), requestId, traceId })
    }
  }
}

function argumentsOf(params: Members): Members {
  const given = params["arguments"] ?? NO_MEMBERS
  if (typeof given === "object" && !Array.isArray(given)) return given as Members
  throw new McpError(INVALID_PARAMS, "params.arguments must be an object", ANSWERED)
}

/**
 * The payment as the header that HTTP clients send, so that both are read by the same code. Both were strict JSON, and the digest covers the
 * canonical form: one payment is the same over HTTP and MCP.
 */
function paymentHeaders(params: Members): Headers {
  const payment = metaOf(params)?.[PAYMENT_META]
  if (payment === undefined) return NO_HEADERS
  const header = typeof payment === "object" && payment !== null ? encodeHeader(payment) : ""
  return new Headers({ "payment-signature": header })
}

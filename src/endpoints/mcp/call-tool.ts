/** Runs one tool call through the operation that HTTP serves: the same limit, schema, bank-data check and handler. */
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { metaOf } from "../../core/discovery/mcp-headers.ts"
import type { Call } from "../../http/call.ts"
import { refusalOf } from "../../http/problem.ts"
import type { ServedOperations } from "../../http/served.ts"
import { encodeHeader } from "../../payments/payment-header.ts"
import { argumentDivider } from "./arguments.ts"
import { INVALID_PARAMS, McpError } from "./mcp-error.ts"
import type { Result } from "./result.ts"
import type { Tool } from "./tool.ts"
import { problemResult, toolResult } from "./tool-result.ts"

type Members = Readonly<Record<string, unknown>>

const PAYMENT_META = "x402/payment"
const NO_HEADERS = new Headers()
const NO_MEMBERS: Members = Object.freeze({})
/** For JSON-RPC an error in the parameters is an answer, not a fault of HTTP. */
const ANSWERED = 200

export type ToolCaller = (params: Members, call: Call<unknown>) => Promise<Result>

interface CallerParts {
  readonly served: ServedOperations
  readonly baseUrl: () => string
}

/** Throws {@link McpError} for arguments that are no object, and any other error for a bug. A refusal is a result. */
export function toolCaller(route: Tool["route"], { served, baseUrl }: CallerParts): ToolCaller {
  const dividers = new Map<Operation, ReturnType<typeof argumentDivider>>()
  const dividerOf = (operation: Operation) => {
    const known = dividers.get(operation) ?? argumentDivider(operation)
    dividers.set(operation, known)
    return known
  }
  return async (params, call) => {
    const sent = argumentsOf(params)
    const { client, requestId, traceId, at } = call
    let path: string = agentMcp.path
    try {
      const { operation: id, given } = route(sent)
      const found = served.find(id)
      if (!found) throw new TypeError(`${id} is not served`)
      const { operation, invoke } = found
      path = operation.path
      const isPaid = operation.product !== undefined
      const reply = await invoke({
        ...dividerOf(operation)(given),
        headers: isPaid ? paymentHeaders(params) : NO_HEADERS,
        bodyDigest: null,
        client,
        requestId,
        traceId,
        at,
      })
      return toolResult(reply)
    } catch (error) {
      const refused = refusalOf(error)
      if (refused === null) throw error
      return problemResult(refused, { path, baseUrl: baseUrl(), requestId, traceId })
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

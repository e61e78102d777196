/** Runs the operation that a message orders. Its answer becomes the one data part of a message of the agent. */
import { canonicalize } from "../../core/canonical-json.ts"
import type { Call, Reply } from "../../http/call.ts"
import { problemOf, refusalOf } from "../../http/problem.ts"
import type { Served } from "../../http/served.ts"
import { argumentDivider } from "../mcp/arguments.ts"
import type { A2aShell } from "./a2a-shell.ts"
import { type Members, messageOrder, unknownOperation } from "./message-order.ts"
import { isOffered, operationList } from "./operation-list.ts"
import { whereToBuy } from "./where-to-buy.ts"

export interface SentMessage {
  readonly messageId: string
  /** Null if the caller named none. */
  readonly contextId: string | null
  /** JSON text of the one data part. */
  readonly data: string
  readonly mediaType: Part["mediaType"]
  /** For the request log. */
  readonly note: Readonly<Record<string, string | number | boolean>>
}

/** Throws {@link import("./a2a-error.ts").A2aError} for a message that orders nothing, and any other error for a bug. */
export type MessageSender = (params: Members, call: Call<unknown>) => Promise<SentMessage>

/** The one data part of an answer. */
interface Part {
  /** JSON text. */
  readonly data: string
  readonly mediaType: "application/json" | "application/problem+json"
  readonly note: SentMessage["note"]
}

type Runner = (input: Members, call: Call<unknown>) => Promise<Part>

const NO_HEADERS = new Headers()
const utf8 = new TextDecoder()

export function messageSender(shell: A2aShell): MessageSender {
  const runners = new Map<string, Runner>()

  /** Throws for a name that is neither a free tool nor a paid operation. */
  function requireRunner(name: string): Runner {
    const known = runners.get(name)
    if (known) return known
    const served = shell.served.find(name)
    if (!served || !isOffered(served.operation)) throw unknownOperation()
    const runner = served.operation.product ? saleRunner(shell, served) : toolRunner(shell, served)
    runners.set(name, runner)
    return runner
  }

  let list: Part | undefined
  /** Made at the first message in words, when every route is registered. */
  function listed(): Part {
    list ??= { data: JSON.stringify(operationList(shell)), mediaType: "application/json", note: {} }
    return list
  }

  return async (params, call) => {
    const { operation, input, contextId } = messageOrder(params)
    const { note, ...part } = operation === null ? listed() : await requireRunner(operation)(input, call)
    return {
      messageId: call.requestId.replace("req_", "msg_"),
      contextId,
      ...part,
      note: { ...note, ...(operation !== null && { tool: operation }) },
    }
  }
}

/** A paid operation answers where it is sold. */
function saleRunner(shell: A2aShell, { operation }: Served): Runner {
  const data = JSON.stringify(whereToBuy(shell, operation))
  return async () => ({ data, mediaType: "application/json", note: {} })
}

/** Runs a free tool. The message contains the same bytes that HTTP would send. */
function toolRunner(shell: A2aShell, { operation, invoke }: Served): Runner {
  const divide = argumentDivider(operation)
  return async (input, { client, requestId, traceId, at }) => {
    try {
      const given = { ...divide(input), headers: NO_HEADERS, bodyDigest: null, client, requestId, traceId, at }
      const { body, note = {} } = await invoke(given)
      return { data: textOf(body), mediaType: "application/json", note }
    } catch (error) {
      const refused = refusalOf(error)
      if (refused === null) throw error
      const context = { path: operation.path, baseUrl: shell.baseUrl(), requestId, traceId }
      // CHOICE: a refusal of the operation is an answer of the agent, marked by its media type. The errors of JSON-RPC are those of A2A.
      const data = JSON.stringify(problemOf(refused, context))
      return { data, mediaType: "application/problem+json", note: { code: refused.code } }
    }
  }
}

function textOf(body: Reply["body"]): string {
  if (typeof body === "string") return body
  return body instanceof Uint8Array ? utf8.decode(body) : canonicalize(body)
}

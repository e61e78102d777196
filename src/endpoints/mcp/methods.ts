/** The methods of the endpoint. Lists are printed on first use and then held as text. */

import { MCP_VERSIONS } from "../../../schemas/discovery/mcp.ts"
import type { McpServerInfo } from "../../discovery/mcp-server.ts"
import type { Call } from "../../http/call.ts"
import type { ServedOperations } from "../../http/served.ts"
import { type ToolCaller, toolCaller } from "./call-tool.ts"
import { type Era, negotiated } from "./era.ts"
import { INVALID_PARAMS, McpError } from "./mcp-error.ts"
import { readResource, resourceLine, resourcesByUri } from "./resources.ts"
import { membersOf, type Result } from "./result.ts"
import { isTool, toolLines } from "./tools.ts"

type Members = Readonly<Record<string, unknown>>

export interface Method {
  /** The one era that has the method. Absent if both have it. */
  readonly only?: Era
  readonly run: (params: Members, call: Call<unknown>) => Result | Promise<Result>
}

interface MethodParts {
  readonly served: ServedOperations
  readonly baseUrl: () => string
  readonly server: () => McpServerInfo
}

const ANSWERED = 200
/** How long a client may keep a list. It changes only with the program. */
const LIST = { ttlMs: 300_000, cacheScope: "public" }
const CAPABILITIES = { prompts: {}, resources: {}, tools: {} }
const INSTRUCTIONS =
  'Free tools need no account. A paid tool called without a payment returns its quote and charges nothing; repeat the call with the signed payment in _meta["x402/payment"]. A result with isError carries a problem document: follow its next_machine_action.'

/** Every method by its name. */
export function methodsOf({ served, baseUrl, server }: MethodParts): ReadonlyMap<string, Method> {
  const tools = once(() => served.rows().filter(isTool))
  const resources = once(() => resourcesByUri(served, baseUrl()))
  const callers = new Map<string, ToolCaller>()
  const callerOf = (name: string): ToolCaller | null => {
    const known = callers.get(name)
    if (known) return known
    const found = served.find(name)
    if (!found || !isTool(found.operation)) return null
    const caller = toolCaller(found, baseUrl)
    callers.set(name, caller)
    return caller
  }
  const discovered = () => ({
    supportedVersions: MCP_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    ...LIST,
  })
  const initialized = (requested: unknown) => ({
    protocolVersion: negotiated(requested),
    capabilities: CAPABILITIES,
    serverInfo: server(),
    instructions: INSTRUCTIONS,
  })
  return new Map<string, Method>([
    ["initialize", { only: "LEGACY", run: (params) => printed(initialized(params["protocolVersion"])) }],
    ["ping", { only: "LEGACY", run: () => printed({}) }],
    ["server/discover", { only: "MODERN", run: held(discovered) }],
    ["tools/list", { run: list(() => ({ tools: toolLines(tools()) })) }],
    ["resources/list", { run: list(() => ({ resources: resourceLines(resources(), baseUrl()) })) }],
    ["resources/templates/list", { run: list(() => ({ resourceTemplates: [] })) }],
    ["prompts/list", { run: list(() => ({ prompts: [] })) }],
    ["resources/read", { run: (params, call) => readResource(resources(), params, call) }],
    [
      "tools/call",
      {
        run: (params, call) => {
          const { name } = params
          const caller = typeof name === "string" ? callerOf(name) : null
          if (!caller) throw new McpError(INVALID_PARAMS, "Unknown tool", ANSWERED)
          return caller(params, call)
        },
      },
    ],
  ])
}

function resourceLines(resources: ReturnType<typeof resourcesByUri>, baseUrl: string): object[] {
  return [...resources.values()].map(({ operation }) => resourceLine(operation, baseUrl))
}

function printed(value: object): Result {
  return { members: membersOf(value) }
}

/** A list of one page. No cursor was ever given out, so every cursor is wrong. */
function list(make: () => object): Method["run"] {
  const whole = held(() => ({ ...make(), ...LIST }))
  return (params) => {
    if (params["cursor"] !== undefined) throw new McpError(INVALID_PARAMS, "Unknown cursor", ANSWERED)
    return whole()
  }
}

function held(make: () => object): () => Result {
  return once(() => printed(make()))
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The methods of the endpoint. Lists are printed on first use and then held as text. */

import { MCP_TOOL_SET_NAMES, MCP_VERSIONS, type ToolSet } from "../../../schemas/discovery/mcp.ts"
import type { McpServerInfo } from "../../discovery/mcp-server.ts"
import type { Call } from "../../http/call.ts"
import type { ServedOperations } from "../../http/served.ts"
import { type ToolCaller, toolCaller } from "./call-tool.ts"
import { type Era, negotiated } from "./era.ts"
import { INVALID_PARAMS, McpError } from "./mcp-error.ts"
import { readResource, resourceLine, resourcesByUri } from "./resources.ts"
import { membersOf, type Result } from "./result.ts"
import type { Tool } from "./tool.ts"
import { requestedSets } from "./tool-sets.ts"
import { isTool, toolsOf } from "./tools.ts"

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
  /** Sets of tools that every client lists: the setting `mcp_sets`. */
  readonly sets: readonly ToolSet[]
}

const ANSWERED = 200
/** How long a client may keep a list. It changes only with the program. */
const LIST = { ttlMs: 300_000, cacheScope: "public" }
const CAPABILITIES = { prompts: {}, resources: {}, tools: {} }
const INSTRUCTIONS = `Free tools need no account. A paid tool called without a payment returns its quote and charges nothing; repeat the call with the signed payment in _meta["x402/payment"]. A result with isError carries a problem document: follow its next_machine_action. tools/list has the tools of a purchase. More tools are listed for ?sets= in the address of this endpoint (${MCP_TOOL_SET_NAMES.join(", ")}); every tool can be called whether or not it is listed.`

/** Every method by its name. */
export function methodsOf(parts: MethodParts): ReadonlyMap<string, Method> {
  const { served, baseUrl, server } = parts
  const tools = once(() => toolsOf(served.rows()))
  const resources = once(() => resourcesByUri(served, baseUrl()))
  const callerOf = callersOf(parts, tools)
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
    ["tools/list", { run: toolList(parts, tools) }],
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

/** The default tools and those of the sets that the operator and the client ask for. */
function toolList({ sets }: MethodParts, tools: () => readonly Tool[]): Method["run"] {
  const lists = new Map<string, Method["run"]>()
  return (params, call) => {
    const requested = requestedSets(call.received?.query ?? "")
    const shown = MCP_TOOL_SET_NAMES.filter((name) => requested.includes(name) || sets.includes(name))
    const key = shown.join()
    const lines = () => tools().flatMap(({ set, line }) => (set === null || shown.includes(set) ? [line] : []))
    const run = lists.get(key) ?? list(() => ({ tools: lines() }))
    lists.set(key, run)
    return run(params, call)
  }
}

/** Finds the tool of a name. CHOICE: an operation that is a tool may be called by its own id too, as the other documents name it. */
function callersOf(parts: MethodParts, tools: () => readonly Tool[]): (name: string) => ToolCaller | null {
  const callers = new Map<string, ToolCaller>()
  return (name) => {
    const known = callers.get(name)
    if (known) return known
    const tool = tools().find((one) => one.name === name)
    const operation = tool ? undefined : parts.served.find(name)?.operation
    if (!tool && !(operation && isTool(operation))) return null
    const caller = toolCaller(tool?.route ?? ((given) => ({ operation: name, given })), parts)
    callers.set(name, caller)
    return caller
  }
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

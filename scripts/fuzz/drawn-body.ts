/** Bodies of an operation: from its schema, from an example, and messages of the two JSON-RPC endpoints that call other operations. */

import { messageOf } from "../../test/fixtures/a2a.ts"
import { MODERN, modern } from "../../test/fixtures/mcp.ts"
import { changedValue, type Json, valid } from "../../test/fixtures/schema-values.ts"
import { type Draw, drawnWord, one } from "./draws.ts"
import type { FuzzOperation } from "./fuzz-request.ts"

export interface DrawnBody {
  readonly value: Json
  readonly headers: readonly (readonly [string, string])[]
}

type Members = Record<string, Json>

/** Chance of a body from an example instead of from the schema. */
const EXAMPLE = 0.6
/** Chances of no change, and of one change and of more. */
const UNCHANGED = 0.4
const ONE_CHANGE = 0.8

export function drawnBody(
  row: FuzzOperation,
  rows: readonly FuzzOperation[],
  examples: ReadonlyMap<string, () => Json>,
  draw: Draw,
): DrawnBody {
  const drawn = drawnMessage(row, rows, examples, draw)
  return draw() < 0.8 ? drawn : { ...drawn, value: changes(row, drawn.value, draw) }
}

function drawnMessage(
  row: FuzzOperation,
  rows: readonly FuzzOperation[],
  examples: ReadonlyMap<string, () => Json>,
  draw: Draw,
): DrawnBody {
  const id = row.operation.operationId
  if (id === "agent_mcp") return mcpMessage(rows, examples, draw)
  if (id === "agent_a2a") return a2aMessage(rows, examples, draw)
  return { value: bodyOf(row, examples, draw), headers: [] }
}

/** A body of an operation's schema or example, mostly with changes. */
function bodyOf(row: FuzzOperation, examples: ReadonlyMap<string, () => Json>, draw: Draw): Json {
  const example = examples.get(row.operation.operationId)
  const whole = example !== undefined && draw() < EXAMPLE ? example() : valid(row.body ?? {}, draw)
  const chance = draw()
  if (chance < UNCHANGED) return whole
  const once = changes(row, whole, draw)
  return chance < ONE_CHANGE ? once : changes(row, changes(row, once, draw), draw)
}

function changes(row: FuzzOperation, value: Json, draw: Draw): Json {
  return changedValue(row.body ?? {}, value, draw)
}

/** Arguments of the tool of an operation: members of its body and its path parameters. */
function argumentsOf(row: FuzzOperation, examples: ReadonlyMap<string, () => Json>, draw: Draw): Json {
  const body = row.body === null ? {} : bodyOf(row, examples, draw)
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body
  const parameters: Members = {}
  for (const { name, schema } of row.pathParameters) {
    if (draw() < 0.9)
      parameters[name] = draw() < 0.8 ? valid(schema, draw) : changedValue(schema, valid(schema, draw), draw)
  }
  return { ...parameters, ...(body as Members) }
}

/** Methods that a log line may name, and some that no server has. */
export const MCP_METHODS = [
  "tools/call",
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
  "tasks/get",
  "notifications/initialized",
  "notifications/cancelled",
  "constructor",
  "__proto__",
  "tools/call\u{1F600}",
]

function mcpMessage(rows: readonly FuzzOperation[], examples: ReadonlyMap<string, () => Json>, draw: Draw): DrawnBody {
  const row = one(rows, draw)
  const call = draw() < 0.75
  const method = call ? "tools/call" : one(MCP_METHODS, draw)
  const name =
    draw() < 0.95 ? row.operation.operationId : one(["constructor", "", "toString", drawnWord(300, draw)], draw)
  const params: Members = call ? { name, arguments: argumentsOf(row, examples, draw) } : drawnParams(method, draw)
  const meta: Members = draw() < 0.1 ? { "x402/payment": one<Json>([null, "x", {}, { x402Version: 2 }], draw) } : {}
  const id = one<Json>([1, 0, -7, "a", "", drawnWord(256, draw)], draw)
  if (draw() < 0.5) {
    const { body, headers } = modern(method, params, meta)
    return {
      value: { ...(body as unknown as Members), id },
      headers: Object.entries(headers).filter(([, value]) => !/[^ -~]/.test(value)),
    }
  }
  const value = {
    jsonrpc: "2.0",
    id,
    method,
    params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
  }
  return {
    value,
    headers: one(
      [[], [["mcp-protocol-version", "2025-11-25"]], [["mcp-protocol-version", one([MODERN, "1", "x"], draw)]]],
      draw,
    ),
  }
}

function drawnParams(method: string, draw: Draw): Members {
  if (method === "resources/read") return { uri: one<Json>(["", "x:", 1, "https://x", "file:///etc/passwd"], draw) }
  if (method === "initialize") {
    const version = one<Json>(["2025-11-25", "2025-06-18", "1", 1, null], draw)
    return { protocolVersion: version, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }
  }
  return one<Members>([{}, { cursor: "x" }, { cursor: 1 }, { x: [] }], draw)
}

const A2A_METHODS = [
  "SendMessage",
  "GetTask",
  "CancelTask",
  "ListTasks",
  "SendStreamingMessage",
  "message/send",
  "constructor",
]

function a2aMessage(rows: readonly FuzzOperation[], examples: ReadonlyMap<string, () => Json>, draw: Draw): DrawnBody {
  const row = one(rows, draw)
  const method = draw() < 0.85 ? "SendMessage" : one(A2A_METHODS, draw)
  const operation = draw() < 0.95 ? row.operation.operationId : one<Json>(["constructor", "", 1, null], draw)
  const params = messageOf({ operation, input: argumentsOf(row, examples, draw) }) as Members
  const mistaken = one<Json>(
    [{}, { message: 1 }, { message: { parts: [] } }, messageOf("text") as Json, messageOf([]) as Json],
    draw,
  )
  const id = one<Json>([1, 0, -7, "a", "", drawnWord(256, draw)], draw)
  const value = { jsonrpc: "2.0", id, method, params: draw() < 0.9 ? params : mistaken }
  return { value, headers: draw() < 0.9 ? [["a2a-version", "1.0"]] : one([[], [["a2a-version", "0.3"]]], draw) }
}

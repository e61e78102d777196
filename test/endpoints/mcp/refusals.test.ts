/** Every bad input of the MCP endpoint: each the status and the code that its specification names. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import { Problem } from "../../../schemas/problem.ts"
import { BODY_BYTES_MAX, compile } from "../../../src/http/read-body.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { askLegacy, askModern, type McpService, mcpService, modern, postMcp } from "../../fixtures/mcp.ts"

setDefaultTimeout(30_000)

let service: McpService
beforeAll(async () => {
  service = await mcpService({ rate_limits: "off" })
})
afterAll(() => service[Symbol.asyncDispose]())

const isProblem = compile(Problem)
const isAnswer = compile(agentMcp.responses[400]?.schema as never)
const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
const listed = modern("tools/list")
const text = (value: unknown) => JSON.stringify(value)
const sized = (bytes: number) =>
  text({ ...ping, params: { text: "x".repeat(bytes - text({ ...ping, params: { text: "" } }).length) } })

const unread: readonly [name: string, body: string, headers: Record<string, string>, status: number, code: number][] = [
  ["text that is not JSON", "{", {}, 400, -32700],
  ["a member twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', {}, 400, -32700],
  ["an empty object", "{}", {}, 400, -32600],
  ["a message without method and result", text({ jsonrpc: "2.0", id: 1 }), {}, 400, -32600],
  ["another JSON-RPC version", text({ ...ping, jsonrpc: "1.0" }), {}, 400, -32600],
  ["parameters by position", text({ ...ping, params: [1] }), {}, 400, -32600],
  ["a body of 65 KiB", sized(65 * 1024), {}, 413, -32600],
  ["a body one byte over 64 KiB", sized(BODY_BYTES_MAX + 1), {}, 413, -32600],
  ["another media type", text(ping), { "content-type": "text/plain" }, 415, -32600],
  ["the origin of another site", text(ping), { origin: "https://evil.example" }, 403, -32600],
  ["an opaque origin", text(ping), { origin: "null" }, 403, -32600],
  ["a host name that is not this service's", text(ping), { host: "evil.example" }, 403, -32600],
]
test.each(unread)("%s", async (_name, body, headers, status, code) => {
  const answer = await postMcp(service.url, body, headers)
  expect([answer.status, answer.json.error["code"]]).toEqual([status, code])
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect(isAnswer.Check(answer.json)).toBe(true)
})

test("a refused HTTP request carries its problem document, with the next machine action", async () => {
  const { json } = await postMcp(service.url, "{")
  expect(isProblem.Check(json.error.data)).toBe(true)
  expect(json.error.data).toMatchObject({ code: "MALFORMED_JSON", next_machine_action: "CORRECT_REQUEST" })
})

test("a body of exactly 64 KiB is read", async () => {
  expect((await postMcp(service.url, sized(BODY_BYTES_MAX))).json.result).toEqual({})
})

const called = modern("tools/call", { name: "GetAgentIdentity", arguments: { agentId: "ä" } })
const without = (name: string) =>
  Object.fromEntries(Object.entries(called.headers).filter(([header]) => header !== name))
const VERSION = "io.modelcontextprotocol/protocolVersion"
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
const changed = (meta: Record<string, unknown>) => text(modern("tools/list", {}, meta).body)

const wrong: readonly [name: string, body: string, headers: Record<string, string>, code: number][] = [
  ["no version header", text(called.body), without("mcp-protocol-version"), -32020],
  ["no method header", text(called.body), without("mcp-method"), -32020],
  ["no name header", text(called.body), without("mcp-name"), -32020],
  [
    "another version in the header",
    text(called.body),
    { ...called.headers, "mcp-protocol-version": "2025-11-25" },
    -32020,
  ],
  ["another method in the header", text(called.body), { ...called.headers, "mcp-method": "tools/list" }, -32020],
  ["another name in the header", text(called.body), { ...called.headers, "mcp-name": "other" }, -32020],
  ["a name in broken base64", text(called.body), { ...called.headers, "mcp-name": "=?base64?/w==?=" }, -32020],
  [
    "a version that is not served",
    changed({ [VERSION]: "2030-01-01" }),
    { ...listed.headers, "mcp-protocol-version": "2030-01-01" },
    -32022,
  ],
  [
    "an earlier version in the form of the modern era",
    changed({ [VERSION]: "2025-11-25" }),
    { ...listed.headers, "mcp-protocol-version": "2025-11-25" },
    -32022,
  ],
  ["a legacy header with an unknown version", text(ping), { "mcp-protocol-version": "2020-01-01" }, -32022],
  ["no capabilities in _meta", changed({ [CAPABILITIES]: undefined }), listed.headers, -32602],
  ["no version in _meta", changed({ [VERSION]: undefined }), listed.headers, -32602],
  ["no _meta", text({ ...listed.body, params: {} }), listed.headers, -32602],
  ["a version that is no text", changed({ [VERSION]: 1 }), listed.headers, -32602],
]
test.each(wrong)("a modern request with %s is 400", async (_name, body, headers, code) => {
  const answer = await postMcp(service.url, body, headers)
  expect([answer.status, answer.json.error["code"], answer.json.id]).toEqual([400, code, 1])
  if (code === -32022) {
    expect(answer.json.error.data["supported"]).toEqual([
      "2026-07-28",
      "2025-11-25",
      "2025-06-18",
      "2025-03-26",
      "2024-11-05",
    ])
    expect(answer.json.error.data["requested"]).toBe(headers["mcp-protocol-version"])
  }
})

test("a name that a header cannot carry may come as base64", async () => {
  const { body, headers } = modern("resources/read", { uri: "https://svc.example/ä b " })
  expect(headers["mcp-name"]).toStartWith("=?base64?")
  const { status, json } = await postMcp(service.url, text(body), headers)
  expect([status, json.error["code"], json.error.data]).toEqual([200, -32602, { uri: "https://svc.example/ä b " }])
})

describe("an unknown method is -32601", () => {
  test.each(["initialize", "ping", "logging/setLevel", "nothing", "constructor"])(
    "modern %s with 404",
    async (method) => {
      const { status, json } = await askModern(service.url, method)
      expect([status, json.error["code"], json.id]).toEqual([404, -32601, 1])
    },
  )
  test.each(["server/discover", "logging/setLevel", "nothing"])("legacy %s with 200", async (method) => {
    const { status, json } = await askLegacy(service.url, method)
    expect([status, json.error["code"]]).toEqual([200, -32601])
  })
})

const parameters: readonly [method: string, params: Record<string, unknown>][] = [
  ["tools/call", { name: "nothing" }],
  ["tools/call", { name: "get_service_jwks" }],
  ["tools/call", {}],
  ["tools/call", { name: "GetAgentIdentity", arguments: [1] }],
  ["tools/call", { name: "GetAgentIdentity", arguments: "text" }],
  ["tools/list", { cursor: "next" }],
  ["resources/read", { uri: "file:///etc/passwd" }],
  ["resources/read", {}],
]
test.each(parameters)("%s with %j is -32602 in both eras", async (method, params) => {
  for (const ask of [askModern, askLegacy]) {
    const { status, json } = await ask(service.url, method, params)
    expect([status, json.error["code"]]).toEqual([200, -32602])
  }
})

test("notifications and responses are accepted with 202 and no body", async () => {
  const messages = [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    { jsonrpc: "2.0", id: 1, result: {} },
  ]
  for (const message of messages) {
    const { status, text: body } = await postMcp(service.url, text(message))
    expect([status, body]).toEqual([202, ""])
  }
})

test.each(["GET", "DELETE", "PUT"])("%s is 405 and names POST", async (method) => {
  const answer = await fetch(service.url, { method })
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
  // A client of 2024-11-05 that opens a stream learns why there is none.
  if (method === "GET") expect(await answer.text()).toContain("HTTP+SSE transport of 2024-11-05 is not served")
})

test("pages of the service itself and of this machine may call, and get no cross-origin header", async () => {
  for (const origin of [service.origin, "http://localhost:6274", "http://127.0.0.1:1"]) {
    const answer = await postMcp(service.url, text(ping), { origin })
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null])
  }
})

test("a bug is -32603 with HTTP 500, and the log has it without the body", async () => {
  const database = databaseOf(service.service.dataDirectory)
  database.run("ALTER TABLE agent RENAME TO hidden")
  const params = { name: "GetAgentIdentity", arguments: { agentId: `svc:agent:${"A".repeat(32)}` } }
  const answer = await askLegacy(service.url, "tools/call", params)
  database.run("ALTER TABLE hidden RENAME TO agent")
  expect([answer.status, answer.json.error["code"], answer.json.id]).toEqual([500, -32603, 1])
  expect(answer.json.error.data["code"]).toBe("INTERNAL")
  const bugs = service.logged.filter(({ event }) => event === "bug")
  expect(bugs.length).toBe(1)
  expect(text(bugs)).not.toContain("AAAA")
})

/** What the endpoint says about itself, and its limits. */
import { expect, setDefaultTimeout } from "bun:test"
import { askLegacy, askModern, mcpService, modern, postMcp } from "../../fixtures/mcp.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

const VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

test("server/discover names versions, capabilities and server; each modern result names the server and is complete", async () => {
  await using service = await mcpService()
  const { json } = await askModern(service.url, "server/discover")
  expect(json.result).toMatchObject({
    supportedVersions: VERSIONS,
    capabilities: { prompts: {}, resources: {}, tools: {} },
    resultType: "complete",
    ttlMs: 300_000,
    cacheScope: "public",
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "127.0.0.1/business-authorization" } },
  })
  const listed = (await askModern(service.url, "tools/list")).json.result
  expect([listed["resultType"], listed["_meta"]]).toEqual(["complete", json.result["_meta"]])
})

test.each([
  ["2025-11-25", "2025-11-25"],
  ["2025-06-18", "2025-06-18"],
  ["2025-03-26", "2025-03-26"],
  ["2024-11-05", "2024-11-05"],
  ["2024-10-07", "2025-11-25"],
  ["2026-07-28", "2025-11-25"],
  [undefined, "2025-11-25"],
])("initialize with %p agrees on %s", async (requested, agreed) => {
  await using service = await mcpService()
  const message = { jsonrpc: "2.0", id: "i", method: "initialize", params: { protocolVersion: requested } }
  const { json, headers } = await postMcp(service.url, JSON.stringify(message))
  expect([json.id, json.result["protocolVersion"], json.result["resultType"]]).toEqual(["i", agreed, undefined])
  expect(headers.get("mcp-session-id")).toBeNull()
})

test("a request without any revision is served as one of the earlier era", async () => {
  await using service = await mcpService()
  const { json } = await postMcp(service.url, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
  expect(json).toEqual({ jsonrpc: "2.0", id: 1, result: {} } as never)
})

test("a tool call counts against the limit of its own operation, and the result says so", async () => {
  await using service = await mcpService({ rate_limits: "on" })
  const statuses: unknown[] = []
  for (let n = 0; n < 21; n++) {
    const { status, json } = await askModern(service.url, "tools/call", {
      name: "IssueAgentIdentityChallenge",
      arguments: {},
    })
    expect(status).toBe(200)
    const [{ text }] = json.result["content"] as [{ text: string }]
    statuses.push(JSON.parse(text).code)
  }
  expect(statuses).toEqual([...Array(20).fill("SCHEMA_INVALID"), "RATE_LIMITED"])
})

test("the endpoint has a limit of its own: HTTP 429 with the time to wait, as JSON-RPC", async () => {
  await using service = await mcpService({ rate_limits: "on" })
  const { body, headers } = modern("prompts/list")
  const text = JSON.stringify(body)
  let answer = await postMcp(service.url, text, headers)
  for (let n = 0; n < 600 && answer.status === 200; n++) answer = await postMcp(service.url, text, headers)
  expect([answer.status, answer.json.error["code"]]).toEqual([429, -32603])
  expect(answer.json.error.data["code"]).toBe("RATE_LIMITED")
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
})

test("the log names era, method and tool, and nothing that the caller wrote", async () => {
  await using service = await mcpService()
  await askModern(service.url, "tools/call", { name: "GetAgentIdentity", arguments: { agentId: "secret-text" } })
  await askLegacy(service.url, "secret-method")
  await askLegacy(service.url, "tools/call", { name: "secret-tool" })
  const lines = service.logged.filter(({ operation }) => operation === "agent_mcp")
  expect(lines.length).toBe(3)
  expect(lines[0]).toMatchObject({ era: "MODERN", method: "tools/call", tool: "GetAgentIdentity", status: 200 })
  expect(lines[0]).toMatchObject({ code: "SCHEMA_INVALID" })
  expect(JSON.stringify(lines)).not.toContain("secret")
})

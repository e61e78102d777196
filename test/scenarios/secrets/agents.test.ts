/** A secret in any part of a message of MCP or A2A is refused with its place, and its bytes are in no reply, file, log line or metric. */
import { expect } from "bun:test"
import { messageOf, postA2a } from "../../fixtures/a2a.ts"
import { initialised, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { Draw } from "../../fixtures/draw.ts"
import { bytesUnder } from "../../fixtures/kept-bytes.ts"
import { atLength, sample } from "../../fixtures/long.ts"
import { modern, postMcp } from "../../fixtures/mcp.ts"
import { OPERATIONS } from "../../fixtures/operations.ts"
import { secretsAnywhere } from "../../fixtures/secrets.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

interface Message {
  readonly jsonrpc: "2.0"
  readonly id: unknown
  readonly method: string
  readonly params: unknown
}
type Written = readonly [pointer: string, message: Message]

const rpc = (method: string, params: unknown, id: unknown = 1): Message => ({ jsonrpc: "2.0", id, method, params })
const TOOLS = OPERATIONS.filter(({ tool, product }) => tool !== undefined || product !== undefined)

/** Messages of both eras of MCP with the text in one place each. */
function mcpMessages(text: string): Written[] {
  const call = (given: object, meta: object = {}) =>
    rpc("tools/call", { name: "us_company_check", arguments: given, _meta: meta })
  const payment = { x402Version: 2, accepted: { scheme: "exact", extra: { note: text } }, payload: {} }
  return [
    ...TOOLS.map(
      ({ id }): Written => ["/params/arguments/note", rpc("tools/call", { name: id, arguments: { note: text } })],
    ),
    ["/params/arguments/a/0/b", call({ a: [{ b: text }] })],
    ["/params/arguments", call({ [text]: 1 })],
    ["/params/_meta/x402~1payment/accepted/extra/note", call({}, { "x402/payment": payment })],
    ["/params/_meta/progressToken", call({}, { progressToken: text })],
    ["/params/name", rpc("tools/call", { name: text, arguments: {} })],
    ["/params/uri", rpc("resources/read", { uri: text })],
    ["/params/name", rpc("prompts/get", { name: text, arguments: {} })],
    ["/params/arguments/topic", rpc("prompts/get", { name: "x", arguments: { topic: text } })],
    ["/params/cursor", rpc("tools/list", { cursor: text })],
    ["/params/clientInfo/name", rpc("initialize", { protocolVersion: "2025-11-25", clientInfo: { name: text } })],
    ["/params/protocolVersion", rpc("initialize", { protocolVersion: text })],
    ["/params/argument/value", rpc("completion/complete", { argument: { name: "x", value: text } })],
    ["/params/data", rpc("notifications/message", { data: text })],
  ]
}

/** Messages of A2A with the text in one place each. */
function a2aMessages(text: string): Written[] {
  const send = (message: unknown, more: object = {}) => rpc("SendMessage", { ...(message as object), ...more })
  const part = (changes: object) => send(messageOf({}, { parts: [changes] }))
  const operation = { operation: "get_us_federal_source_health", input: {} }
  return [
    ...TOOLS.map(
      ({ id }): Written => [
        "/params/message/parts/0/data/input/note",
        send(messageOf({ operation: id, input: { note: text } })),
      ],
    ),
    ["/params/message/parts/0/text", part({ text })],
    ["/params/message/parts/0/raw", part({ raw: text, filename: "a.txt" })],
    ["/params/message/parts/0/filename", part({ url: "https://buyer.example/a", filename: text })],
    ["/params/message/parts/0/url", part({ url: text })],
    ["/params/message/parts/0/metadata/note", part({ data: operation, metadata: { note: text } })],
    ["/params/message/parts/0/data/operation", part({ data: { operation: text } })],
    ["/params/message/metadata/note", send(messageOf(operation, { metadata: { note: text } }))],
    ["/params/message/contextId", send(messageOf(operation, { contextId: text }))],
    ["/params/message/taskId", send(messageOf(operation, { taskId: text }))],
    ["/params/message/messageId", send(messageOf(operation, { messageId: text }))],
    ["/params/message/extensions/0", send(messageOf(operation, { extensions: [text] }))],
    ["/params/message/referenceTaskIds/0", send(messageOf(operation, { referenceTaskIds: [text] }))],
    ["/params/configuration/note", send(messageOf(operation), { configuration: { note: text } })],
    ["/params/metadata/note", send(messageOf(operation), { metadata: { note: text } })],
    ["/params/id", rpc("GetTask", { id: text })],
    ["/params/config/token", rpc("CreateTaskPushNotificationConfig", { config: { token: text } })],
  ]
}

const ids = (text: string): Written[] => [
  ["/id", rpc("ping", {}, text)],
  ["/method", rpc(text, {})],
  ["", { ...rpc("ping", {}), [text]: 1 } as Message],
]

test("every part of a message of MCP and A2A", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const secrets = sample(secretsAnywhere(new Draw("scenario of secrets to agents")), atLength(12, 200))
  await using server = await serve(data, [
    "--log-level",
    "debug",
    "--rate-limits",
    "off",
    "--admin-listen",
    "127.0.0.1:0",
  ])
  const mcp = new URL("/v1/agent/mcp", server.origin)
  for (const { name, kind, text, core } of secrets) {
    const expected = kind === "ACCESS_TOKEN" ? "CREDENTIAL_REJECTED" : "PRIVATE_KEY_MATERIAL_REJECTED"
    const expectRefused = (pointer: string, status: number, reply: string) => {
      expect([name, pointer, status, reply.includes(`"${expected}"`)]).toEqual([name, pointer, 400, true])
      expect([name, pointer, reply.includes(core)]).toEqual([name, pointer, false])
      if (!pointer.endsWith("/method") && pointer !== "/id")
        expect([name, reply.includes(pointer)]).toEqual([name, true])
    }
    for (const [pointer, message] of [...mcpMessages(text), ...ids(text)]) {
      const legacy = await postMcp(mcp, JSON.stringify(message))
      expectRefused(pointer, legacy.status, legacy.text)
    }
    for (const [pointer, message] of [...a2aMessages(text), ...ids(text)]) {
      const reply = await postA2a(server.origin, JSON.stringify(message))
      expectRefused(pointer, reply.status, JSON.stringify(reply.json))
    }
    // A token in the headers that repeat a modern request.
    if (kind !== "ACCESS_TOKEN" || /[^ -~]/.test(text)) continue
    const { body, headers } = modern("tools/list")
    for (const header of ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"]) {
      await postMcp(mcp, JSON.stringify(body), { ...headers, [header]: text })
    }
  }
  const metrics = await (await fetch(/"admin":"(http:[^"]+)"/.exec(server.err())?.[1] ?? "")).text()
  await server.kill()
  const kept = [bytesUnder(data), server.out(), server.err(), metrics].join("\n")
  // Controls of the search: the log and the metrics name what was called.
  expect(kept).toContain('"operation":"agent_mcp"')
  expect(metrics).toContain("agent_a2a")
  for (const { name, core } of secrets) expect([name, kept.includes(core)]).toEqual([name, false])
}, 300_000)

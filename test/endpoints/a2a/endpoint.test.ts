import { afterAll, beforeAll, describe, expect } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { AGENT_A2A_PATH, agentA2a } from "../../../schemas/discovery/a2a.ts"
import { getProblem } from "../../../schemas/discovery/problem.ts"
import { Problem } from "../../../schemas/problem.ts"
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { compile } from "../../../src/http/read-body.ts"
import { askA2a, messageOf, postA2a, sendData } from "../../fixtures/a2a.ts"
import { isServed } from "../../fixtures/links.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let served: ServedService
let origin: string
beforeAll(async () => {
  served = await servedService()
  origin = served.origin
})
afterAll(() => served[Symbol.asyncDispose]())

const isResponse = compile(agentA2a.responses[200]?.schema as TSchema)
const free = () => served.service.shell.served.rows().filter(({ tool }) => tool)
const paid = () => served.service.shell.served.rows().filter(({ product }) => product)

describe("a message runs a free operation", () => {
  test("the answer is one message of the agent, and its data is what HTTP answers", async () => {
    const { status, headers, json } = await sendData(origin, "GetAgentIdProduct")
    expect([status, headers.get("content-type"), json.jsonrpc, json.id]).toEqual([200, "application/json", "2.0", 7])
    expect(isResponse.Check(json)).toBe(true)
    const { messageId = "", ...message }: Record<string, unknown> = json.result?.message ?? {}
    const data = await (await fetch(`${origin}/v1/agent-id`)).json()
    expect(message).toEqual({ role: "ROLE_AGENT", parts: [{ data, mediaType: "application/json" }] })
    expect(messageId).toMatch(/^msg_[A-Za-z0-9_-]{22}$/)
    expect(`req_${String(messageId).slice(4)}`).toBe(headers.get("x-request-id") ?? "")
  })

  test("each free tool can be called, and every one answers JSON or its own refusal", async () => {
    expect(free().length).toBeGreaterThan(8)
    for (const { id, responses } of free()) {
      expect(responses[200]?.mediaType ?? "application/json", id).toMatch(/^application\/(json|[a-z-]+\+json)$/)
      const { status, json } = await sendData(origin, id)
      expect([id, status, json.error]).toEqual([id, 200, undefined])
      expect(json.result?.message.parts, id).toHaveLength(1)
    }
  })

  test("the input has the path parameters among its members, and a refusal of the operation is a problem document", async () => {
    const agentId = `svc:agent:${"A".repeat(32)}`
    const { json } = await sendData(origin, "GetAgentIdentityStatus", { agentId })
    const [part] = json.result?.message.parts ?? []
    expect(part?.["mediaType"]).toBe("application/problem+json")
    const problem = part?.["data"] as Problem
    expect([...compile(Problem).Errors(problem)]).toEqual([])
    expect([problem.code, problem.status, problem.instance]).toEqual([
      "AGENT_NOT_FOUND",
      404,
      "/v1/agent-identities/{agentId}/status",
    ])
    expect(getProblem.path.replace("{code}", problem.code)).toBe(new URL(problem.type).pathname)
  })

  test.each([
    ["a missing path parameter", "GetAgentIdentityStatus", {}],
    ["an unknown member", "GetAgentIdProduct", { unknown: 1 }],
    ["a body off its schema", "VerifyAgentSignature", { schema_version: "1.0.0" }],
  ])("%s is refused by the operation's own schema", async (_name, operation, input) => {
    const [part] = (await sendData(origin, operation, input)).json.result?.message.parts ?? []
    expect(part).toMatchObject({ mediaType: "application/problem+json", data: { code: "SCHEMA_INVALID", status: 422 } })
  })

  test("a conversation of the caller is repeated in the answer", async () => {
    const params = messageOf({ operation: "GetAgentIdProduct" }, { contextId: 'c"1' })
    const { json } = await askA2a(origin, "SendMessage", params)
    expect(json.result?.message["contextId"]).toBe('c"1')
  })

  test("the log names the tool and no value of the input", async () => {
    served.logged.length = 0
    await sendData(origin, "GetAgentIdentityStatus", { agentId: `svc:agent:${"secret-secret".padEnd(32, "x")}` })
    const line = served.logged.find(({ operation }) => operation === agentA2a.id)
    expect(line).toMatchObject({ tool: "GetAgentIdentityStatus", code: "AGENT_NOT_FOUND" })
    expect(JSON.stringify(served.logged)).not.toContain("secret-secret")
  })
})

describe("a paid operation answers where to buy it", () => {
  test("with its route, schema, example and price, each of which is served", async () => {
    const rows = served.service.shell.served.rows()
    expect(paid()).toHaveLength(PRODUCT_IDS.length)
    for (const { id, path, product, price } of paid()) {
      const [part] = (await sendData(origin, id, { anything: true })).json.result?.message.parts ?? []
      const place = part?.["data"] as Record<string, string> & { charge: { amount: string } }
      expect(place).toMatchObject({
        operation: id,
        product_id: product?.id,
        method: "POST",
        uri: `${origin}${path}`,
        charged: false,
        review_duty: path.startsWith("/v1/gb/") ? "HUMAN_REVIEW_BEFORE_PAYMENT" : "REVIEW_QUOTE_BEFORE_PAYMENT",
        quote_created: false,
        next_machine_action: "REQUEST_QUOTE_AT_URI",
      })
      expect(place.charge.amount).toBe(price?.amount ?? "")
      for (const address of [place["uri"], place["schema_uri"], place["example_uri"], place["agent_map_uri"]]) {
        expect(isServed(rows, origin, address ?? ""), address).toBe(true)
      }
    }
  })

  test("its addresses lead to the schema, the example and a quote", async () => {
    const [part] = (await sendData(origin, "us_company_check")).json.result?.message.parts ?? []
    const place = part?.["data"] as Record<string, string>
    const { schema } = (await (await fetch(place["schema_uri"] ?? "")).json()) as { schema: object }
    expect(schema).toMatchObject({ type: "object" })
    const { example } = (await (await fetch(place["example_uri"] ?? "")).json()) as { example: object }
    const eligibility = await fetch(place["eligibility_uri"] ?? "", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(example),
    })
    expect(eligibility.status).toBe(200)
  })
})

interface Listed {
  readonly operations: readonly {
    readonly operation: string
    readonly uri_template: string
    readonly charge: unknown
  }[]
  readonly openapi_uri: string
  readonly agent_map_uri: string
}

describe("a message in words is answered with what can be ordered", () => {
  const WORDS = { text: "check my supplier" }

  test("the list names every free tool and every paid operation, and where each is over HTTP", async () => {
    const { json } = await askA2a(origin, "SendMessage", messageOf({}, { parts: [WORDS], contextId: "c-1" }))
    const [part] = json.result?.message.parts ?? []
    expect([json.result?.message["contextId"], part?.["mediaType"]]).toEqual(["c-1", "application/json"])
    const listed = part?.["data"] as Listed
    const rows = served.service.shell.served.rows()
    const expected = [...free(), ...paid()].map(({ id }) => id)
    expect(listed.operations.map(({ operation }) => operation).toSorted()).toEqual(expected.toSorted())
    for (const address of [
      listed.openapi_uri,
      listed.agent_map_uri,
      ...listed.operations.map((one) => one.uri_template),
    ]) {
      expect(isServed(rows, origin, address), address).toBe(true)
    }
    expect(listed.operations.filter(({ charge }) => charge !== null)).toHaveLength(PRODUCT_IDS.length)
    // Nobody reads the words, so no answer repeats them.
    expect(JSON.stringify(json)).not.toContain("check my supplier")
    expect(JSON.stringify(json).length).toBeLessThan(64 * 1024)
  })

  test("and each name on it is one that a message can order", async () => {
    const { json } = await askA2a(origin, "SendMessage", messageOf({}, { parts: [WORDS] }))
    const [part] = json.result?.message.parts ?? []
    const listed = part?.["data"] as Listed
    for (const { operation } of listed.operations) {
      expect([operation, (await sendData(origin, operation)).json.error]).toEqual([operation, undefined])
    }
  })
})

describe("a client of version 0.3", () => {
  const message = (part: object, changes: object = {}) => ({
    message: { kind: "message", messageId: "m-1", role: "user", parts: [part], ...changes },
  })
  const send = (params: unknown, version: string | null = null) =>
    postA2a(origin, JSON.stringify({ jsonrpc: "2.0", id: 3, method: "message/send", params }), {
      "a2a-version": version,
    })

  test.each([[null], ["0.3"], ["0.3.0"], [""]])("with the header %p runs an operation", async (version) => {
    const order = { kind: "data", data: { operation: "GetAgentIdProduct" } }
    const { status, json } = await send(message(order, { contextId: "c-1" }), version)
    const data = await (await fetch(`${origin}/v1/agent-id`)).json()
    const { messageId: _, ...result } = json.result as unknown as Record<string, unknown>
    expect([status, json.id, isResponse.Check(json)]).toEqual([200, 3, true])
    expect(result).toEqual({
      kind: "message",
      contextId: "c-1",
      role: "agent",
      parts: [{ kind: "data", data, metadata: { mediaType: "application/json" } }],
    })
  })

  test("gets the list for words, and where to buy for a paid operation", async () => {
    const partOf = async (part: object) =>
      ((await send(message(part))).json.result as unknown as { parts: [{ data: Record<string, unknown> }] }).parts[0]
        .data
    expect(Object.keys(await partOf({ kind: "text", text: "what can you do?" }))).toContain("operations")
    const sold = await partOf({ kind: "data", data: { operation: "us_company_check" } })
    expect(sold["next_machine_action"]).toBe("REQUEST_QUOTE_AT_URI")
  })

  test.each([
    ["message/stream", -32004, "UNSUPPORTED_OPERATION"],
    ["tasks/get", -32001, "TASK_NOT_FOUND"],
    ["tasks/cancel", -32001, "TASK_NOT_FOUND"],
    ["tasks/resubscribe", -32004, "UNSUPPORTED_OPERATION"],
    ["tasks/pushNotificationConfig/set", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["agent/getAuthenticatedExtendedCard", -32004, "UNSUPPORTED_OPERATION"],
  ])("%s is answered %i", async (method, code, reason) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { id: "t-1" } })
    expect(await errorOf(postA2a(origin, body, { "a2a-version": null }))).toEqual([200, code, reason, 7])
  })

  test("gets an error for its methods under another version, for a message without parts, and for the role of an agent", async () => {
    expect(await errorOf(send(message({}), "1.0"))).toEqual([200, -32601, "METHOD_NOT_FOUND", 3])
    expect(await errorOf(send(message({}), "0.2"))).toEqual([200, -32009, "VERSION_NOT_SUPPORTED", 3])
    expect(await errorOf(send(message({}, { parts: [] })))).toEqual([200, -32005, "CONTENT_TYPE_NOT_SUPPORTED", 3])
    expect(await errorOf(send(message({}, { role: "agent" })))).toEqual([200, -32602, "INVALID_PARAMS", 3])
    expect(await errorOf(send({}))).toEqual([200, -32602, "INVALID_PARAMS", 3])
  })
})

const errorOf = async (answer: ReturnType<typeof postA2a>) => {
  const { status, json } = await answer
  expect(isResponse.Check(json)).toBe(true)
  expect(json.error?.data[0]).toMatchObject({
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    domain: "a2a-protocol.org",
  })
  return [status, json.error?.code, json.error?.data[0]?.["reason"], json.id]
}

describe("errors of the protocol", () => {
  const part = { data: { operation: "GetAgentIdProduct" } }
  test.each([
    ["no part", { parts: [] }, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["two parts", { parts: [part, part] }, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["a text part and a data part", { parts: [{ text: "check" }, part] }, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["a file", { parts: [{ url: "https://host.example/a.pdf" }] }, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["a data part that is no object", { parts: [{ data: [1] }] }, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["parts that are no list", { parts: {} }, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["data without operation", { parts: [{ data: {} }] }, -32602, "INVALID_PARAMS"],
    ["an unknown operation", { parts: [{ data: { operation: "no_such" } }] }, -32602, "INVALID_PARAMS"],
    ["an operation that is no tool", { parts: [{ data: { operation: "get_readiness" } }] }, -32602, "INVALID_PARAMS"],
    ["the endpoint itself", { parts: [{ data: { operation: "agent_a2a" } }] }, -32602, "INVALID_PARAMS"],
    ["an input that is no object", { parts: [{ data: { ...part.data, input: [1] } }] }, -32602, "INVALID_PARAMS"],
    ["no message id", { messageId: "", parts: [part] }, -32602, "INVALID_PARAMS"],
    ["a message of an agent", { role: "ROLE_AGENT", parts: [part] }, -32602, "INVALID_PARAMS"],
    ["a context that is no text", { contextId: 5, parts: [part] }, -32602, "INVALID_PARAMS"],
    ["a context of 257 characters", { contextId: "c".repeat(257), parts: [part] }, -32602, "INVALID_PARAMS"],
    ["a task", { taskId: "t-1", parts: [part] }, -32001, "TASK_NOT_FOUND"],
  ])("SendMessage with %s", async (_name, changes, code, reason) => {
    expect(await errorOf(askA2a(origin, "SendMessage", messageOf({}, changes)))).toEqual([200, code, reason, 7])
  })

  test("SendMessage without parameters or without a message", async () => {
    expect(await errorOf(askA2a(origin, "SendMessage"))).toEqual([200, -32602, "INVALID_PARAMS", 7])
    expect(await errorOf(askA2a(origin, "SendMessage", {}))).toEqual([200, -32602, "INVALID_PARAMS", 7])
  })

  test.each([
    ["GetTask", -32001, "TASK_NOT_FOUND"],
    ["CancelTask", -32001, "TASK_NOT_FOUND"],
    ["ListTasks", -32004, "UNSUPPORTED_OPERATION"],
    ["SendStreamingMessage", -32004, "UNSUPPORTED_OPERATION"],
    ["SubscribeToTask", -32004, "UNSUPPORTED_OPERATION"],
    ["GetExtendedAgentCard", -32004, "UNSUPPORTED_OPERATION"],
    ["CreateTaskPushNotificationConfig", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["GetTaskPushNotificationConfig", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["ListTaskPushNotificationConfigs", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["DeleteTaskPushNotificationConfig", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["message/send", -32601, "METHOD_NOT_FOUND"],
    ["tools/call", -32601, "METHOD_NOT_FOUND"],
    ["constructor", -32601, "METHOD_NOT_FOUND"],
  ])("%s is answered %i", async (method, code, reason) => {
    expect(await errorOf(askA2a(origin, method, { id: "t-1" }))).toEqual([200, code, reason, 7])
  })

  test.each([[null], ["0.3"], ["1.1"], ["1.0.0"], ["2.0"], [""]])("version %p is answered -32009", async (version) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: "v", method: "SendMessage", params: messageOf(part.data) })
    const answer = postA2a(origin, body, { "a2a-version": version })
    expect(await errorOf(answer)).toEqual([200, -32009, "VERSION_NOT_SUPPORTED", "v"])
  })
})

describe("requests that JSON-RPC or HTTP refuses", () => {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: messageOf({ operation: "GetAgentIdProduct" }),
  }
  test.each([
    ["no JSON", "{", 400, -32700],
    ["a member twice", '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"GetTask"}', 400, -32700],
    ["nothing", "", 400, -32700],
    ["a batch", JSON.stringify([request]), 400, -32600],
    ["an empty batch", "[]", 400, -32600],
    ["an empty object", "{}", 400, -32600],
    ["a notification", JSON.stringify({ ...request, id: undefined }), 400, -32600],
    ["a null id", JSON.stringify({ ...request, id: null }), 400, -32600],
    ["another version of JSON-RPC", JSON.stringify({ ...request, jsonrpc: "1.0" }), 400, -32600],
    ["parameters in a list", JSON.stringify({ ...request, params: [1] }), 400, -32600],
    ["65 KiB", JSON.stringify({ ...request, pad: "x".repeat(65 * 1024) }), 413, -32600],
  ])("%s", async (_name, body, status, code) => {
    const [sent, answered] = await errorOf(postA2a(origin, body))
    expect([sent, answered]).toEqual([status, code])
  })

  test("another media type is 415, and another method than POST 405", async () => {
    const [status, code] = await errorOf(postA2a(origin, JSON.stringify(request), { "content-type": "text/plain" }))
    expect([status, code]).toEqual([415, -32600])
    const answer = await fetch(`${origin}${AGENT_A2A_PATH}`)
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
  })
})

test("a message counts against the limit of its operation and against that of the endpoint", async () => {
  await using limited = await servedService({ rate_limits: "on" })
  const agentId = `svc:agent:${"A".repeat(32)}`
  const codes: unknown[] = []
  for (let n = 0; n <= 60; n++) {
    const { json } = await sendData(limited.origin, "ExportAgentIdentity", { agentId })
    const problem = json.result?.message.parts[0]?.["data"] as Problem | undefined
    codes.push(problem?.code)
  }
  expect([codes[59], codes[60]]).toEqual(["AGENT_NOT_FOUND", "RATE_LIMITED"])
  const answers = await Promise.all(Array.from({ length: 560 }, () => askA2a(limited.origin, "GetTask")))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBe(21)
  expect(refused[0]?.json.error).toMatchObject({ code: -32603, data: [{ metadata: { code: "RATE_LIMITED" } }] })
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0)
})

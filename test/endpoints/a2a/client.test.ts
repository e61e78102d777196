/** The official A2A client, which knows nothing but the origin. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type AgentCard, type Message, Role, type SendMessageRequest, verifyAgentCardSignature } from "@a2a-js/sdk"
import { type Client, ClientFactory, type RequestOptions } from "@a2a-js/sdk/client"
import { LegacyJsonRpcTransport } from "@a2a-js/sdk/compat/v0_3/client"
import { isJsonRpcError } from "@a2a-js/sdk/errors"
import { createRemoteJWKSet } from "jose"
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"

let served: ServedService
let client: Client
let card: AgentCard
beforeAll(async () => {
  served = await servedService()
  client = await new ClientFactory().createFromUrl(served.origin)
  card = await client.getAgentCard()
})
afterAll(() => served[Symbol.asyncDispose]())

function request(operation: string, input: object = {}): SendMessageRequest {
  const part = {
    content: { $case: "data", value: { operation, input } },
    metadata: undefined,
    filename: "",
    mediaType: "",
  }
  const message = { messageId: "m-1", contextId: "", taskId: "", role: Role.ROLE_USER, parts: [part] }
  return {
    tenant: "",
    message: { ...message, metadata: undefined, extensions: [], referenceTaskIds: [] },
    configuration: undefined,
    metadata: undefined,
  } as SendMessageRequest
}

/** Data of the one part of a message. */
function dataOf(message: unknown): { mediaType: string; data: Record<string, unknown> } {
  const [part, ...others] = (message as Message).parts
  if (part?.content?.$case !== "data" || others.length > 0) throw new Error("not one data part")
  return { mediaType: part.mediaType, data: part.content.value as Record<string, unknown> }
}

test("it finds the card and its interface, and verifies the signature with the keys that the header names", async () => {
  expect(card.supportedInterfaces.map(({ url, protocolBinding }) => [url, protocolBinding])).toEqual([
    [`${served.origin}/v1/agent/a2a`, "JSONRPC"],
  ])
  const published = await fetch(`${served.origin}/.well-known/agent-card.json`)
  expect(published.headers.get("content-type")).toBe("application/a2a-agent-card+json")
  const verify = verifyAgentCardSignature(async (kid, jku) => {
    const keys = createRemoteJWKSet(new URL(jku ?? ""))
    return keys({ alg: "EdDSA", kid })
  })
  await verify((await published.json()) as AgentCard)
})

test("a message runs a free operation and gets its answer", async () => {
  const answer = await client.sendMessage(request("get_us_federal_source_health"))
  const { mediaType, data } = dataOf(answer)
  expect(mediaType).toBe("application/json")
  expect(data["coverage"]).toBe("FEDERAL_ONLY")
  expect((answer as Message).role).toBe(Role.ROLE_AGENT)
})

test("a streamed message falls back to one message, because the card says that it does not stream", async () => {
  const events: unknown[] = []
  for await (const event of client.sendMessageStream(request("GetAgentIdProduct"))) events.push(event)
  expect(events).toHaveLength(1)
})

test("for every skill of the card the client gets an answer, or where to buy one", async () => {
  // Agent ID has one, and the products of one solution share one.
  const sold = new Set(PRODUCT_OPERATIONS.map(({ id, paid }) => paid.product?.solution ?? id))
  expect(card.skills).toHaveLength(1 + sold.size)
  const operations = card.skills.flatMap(({ description }) => [...description.matchAll(/(\w+): /g)].map(([, id]) => id))
  const tools = operations.filter((id) => served.service.shell.served.find(id ?? "")?.operation)
  expect(tools.length).toBeGreaterThan(13)
  for (const id of ["gb_business_payment_authorize", "us_company_check"]) {
    expect(tools).toContain(id)
    expect(dataOf(await client.sendMessage(request(id))).data["next_machine_action"]).toBe("REQUEST_QUOTE_AT_URI")
  }
})

test("a refusal of an operation is a problem document", async () => {
  const { mediaType, data } = dataOf(
    await client.sendMessage(request("GetAgentIdentity", { agentId: `svc:agent:${"x".repeat(32)}` })),
  )
  expect([mediaType, data["code"]]).toEqual(["application/problem+json", "AGENT_NOT_FOUND"])
})

function words(text: string): SendMessageRequest {
  const given = request("x")
  const part = { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }
  return { ...given, message: { ...given.message, parts: [part] } } as SendMessageRequest
}

test("words are answered with the list of operations, in the client's own message", async () => {
  const { data } = dataOf(await client.sendMessage(words("check my supplier")))
  expect((data["operations"] as unknown[]).length).toBeGreaterThan(20)
})

test("the official client of version 0.3 runs an operation, and learns from words what there is", async () => {
  const older = new LegacyJsonRpcTransport({ endpoint: `${served.origin}/v1/agent/a2a` })
  const { data } = dataOf(await older.sendMessage(request("get_us_federal_source_health")))
  expect(data["coverage"]).toBe("FEDERAL_ONLY")
  const listed = dataOf(await older.sendMessage(words("hello")))
  expect((listed.data["operations"] as unknown[]).length).toBeGreaterThan(20)
  const unknown = await older.getTask(task).catch((thrown: unknown) => thrown)
  expect(isJsonRpcError(unknown) && unknown.envelopeCode).toBe(-32001)
})

type Transport = Client["transport"]
type Call = (to: Transport, options: RequestOptions) => Promise<unknown>
const task = { id: "t-1", tenant: "" }
const refusals: readonly (readonly [string, Call, string, number])[] = [
  ["GetTask", (to, options) => to.getTask(task, options), "TaskNotFoundError", -32001],
  [
    "CancelTask",
    (to, options) => to.cancelTask({ ...task, metadata: undefined }, options),
    "TaskNotFoundError",
    -32001,
  ],
  ["SubscribeToTask", (to, options) => to.resubscribeTask(task, options).next(), "UnsupportedOperationError", -32004],
  [
    "SendStreamingMessage",
    (to, options) => to.sendMessageStream(request("x"), options).next(),
    "UnsupportedOperationError",
    -32004,
  ],
  [
    "GetExtendedAgentCard",
    (to, options) => to.getExtendedAgentCard({ tenant: "" }, options),
    "UnsupportedOperationError",
    -32004,
  ],
  [
    "DeleteTaskPushNotificationConfig",
    (to, options) => to.deleteTaskPushNotificationConfig({ ...task, taskId: "t-1" }, options),
    "PushNotificationNotSupportedError",
    -32003,
  ],
  [
    "an unknown operation",
    (to, options) => to.sendMessage(request("no_such"), options),
    "RequestMalformedError",
    -32602,
  ],
  ["a message without parts", (to, options) => to.sendMessage(empty, options), "ContentTypeNotSupportedError", -32005],
]
const empty = { ...request("x"), message: { ...request("x").message, parts: [] } } as unknown as SendMessageRequest

test.each(refusals)("%s becomes the client's own error", async (_name, call, name, code) => {
  const failed = (options: RequestOptions) => call(client.transport, options).catch((thrown: unknown) => thrown)
  const error = await failed({ serviceParameters: { "A2A-Version": "1.0" } })
  if (!isJsonRpcError(error)) throw error
  expect([error.name, error.envelopeCode]).toEqual([name, code])
  expect(await failed({})).toMatchObject({ name: "VersionNotSupportedError", envelopeCode: -32009 })
})

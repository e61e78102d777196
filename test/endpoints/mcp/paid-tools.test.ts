/** Paid tools on the private chain: bought by the official MCP clients of both eras, and by hand. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as Client132 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as Transport132 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { x402Client } from "@x402/fetch"
import { Client as Client110 } from "mcp-sdk-1-10/client/index.js"
import { StreamableHTTPClientTransport as Transport110 } from "mcp-sdk-1-10/client/streamableHttp.js"
import { Client as Client112 } from "mcp-sdk-1-12/client/index.js"
import { StreamableHTTPClientTransport as Transport112 } from "mcp-sdk-1-12/client/streamableHttp.js"
import { Client as Client117 } from "mcp-sdk-1-17/client/index.js"
import { StreamableHTTPClientTransport as Transport117 } from "mcp-sdk-1-17/client/streamableHttp.js"
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import { authorizeGbPayment } from "../../../schemas/gb/payment.ts"
import { checkCompany } from "../../../schemas/us/company-check.ts"
import { releasePaymentDecision } from "../../../schemas/us/operations.ts"
import type { PaymentPayload, PaymentRequired, SettleResponse } from "../../../schemas/x402.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { buyAnswer, signedFor, usBody } from "../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { gbHeaders, gbPaymentBody, gbSources } from "../../fixtures/gb.ts"
import { modern } from "../../fixtures/mcp.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { decodeHeader, enterBuyer, freshRequest, ORIGIN } from "../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

type Members = Record<string, unknown>
interface ToolResult {
  readonly content: readonly [{ readonly text: string }]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta: Members
}

let given: AnswerTestServer
beforeAll(async () => {
  given = await answerTestServer()
  await enterBuyer(given.server)
})
afterAll(() => given[Symbol.asyncDispose]())

const url = new URL(agentMcp.path, ORIGIN)
const fetchHere = (input: string | URL | Request, init?: RequestInit) => given.server.handle(new Request(input, init))

async function call(name: string, args: object, payment?: unknown): Promise<ToolResult> {
  const meta = payment === undefined ? {} : { "x402/payment": payment }
  const { body, headers } = modern("tools/call", { name, arguments: args }, meta)
  const answer = await given.server.post(body, headers, agentMcp.path)
  return ((await answer.json()) as { result: ToolResult }).result
}

/** The payment that a 402 over HTTP asks for, as the object that MCP carries. */
async function paymentFor(path: string, body: object, headers: Record<string, string> = {}) {
  const header = await signedFor(given.server, { path, body, headers })
  return { header, payload: decodeHeader<PaymentPayload>(header["payment-signature"] ?? null) }
}

describe("a paid tool", () => {
  test("without a payment returns the quote of HTTP as an error, with only the duty to review of svc, once as text and once as a value", async () => {
    const body = usBody()
    const overHttp = await given.server.post(body, {}, checkCompany.path)
    const quoted = decodeHeader<PaymentRequired>(overHttp.headers.get("payment-required"))
    const result = await call(checkCompany.id, body)
    const required = result.structuredContent as PaymentRequired & { svc?: unknown }
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text)).toEqual(required as never)
    expect(required.svc).toEqual({ review_duty: "REVIEW_QUOTE_BEFORE_PAYMENT" })
    expect([required.x402Version, required.resource]).toEqual([2, quoted.resource])
    expect(required.resource.url).toBe(ORIGIN + checkCompany.path)
    const boundTo = (terms: PaymentRequired) => terms.accepts[0]?.extra?.["bodyDigest"]
    expect(boundTo(required)).toBe(boundTo(quoted))
  })

  test("takes null for a member that may be left out: the quote is for the same body as without it", async () => {
    const bare = usBody()
    const identifiers = { cage: null, cik: null, lei: null, ...bare.company.identifiers }
    const filled = { ...bare, company: { ...bare.company, identifiers } }
    const digests = await Promise.all(
      [bare, filled].map(async (body) => {
        const { structuredContent } = await call(checkCompany.id, body)
        return (structuredContent as PaymentRequired).accepts[0]?.extra?.["bodyDigest"]
      }),
    )
    expect(digests[0]).toBeString()
    expect(digests[1]).toBe(digests[0])
  })

  test("returns the stored bytes, the settlement and the capsule; the same payment over HTTP is the same purchase", async () => {
    const body = usBody()
    const before = await given.transfers()
    const { header, payload } = await paymentFor(checkCompany.path, body)
    const overHttp = await buyAnswer(given.server, { path: checkCompany.path, body }, header)
    expect(overHttp.status).toBe(200)
    const result = await call(checkCompany.id, body, payload)
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).toEqual(JSON.parse(result.content[0].text))
    const { replayed, ...rest } = JSON.parse(result.content[0].text)
    const { replayed: first, ...same } = overHttp.answer
    expect([rest, replayed, first]).toEqual([same, true, false])
    const settled = decodeHeader<SettleResponse>(overHttp.headers.get("payment-response"))
    expect(result._meta["x402/payment-response"]).toEqual(settled)
    const capsule = Buffer.from(overHttp.headers.get("svc-proof-capsule") ?? "", "base64url").toString("utf8")
    expect(result._meta["svc/proof-capsule"]).toEqual(JSON.parse(capsule))
    // Once more over HTTP: the same bytes as over MCP.
    const again = await buyAnswer(given.server, { path: checkCompany.path, body }, header)
    expect(again.text).toBe(result.content[0].text)
    expect((await given.transfers()) - before).toBe(1)
  })

  test("sells a UK product without its HTTP headers, and HTTP then returns what MCP bought", async () => {
    const body = gbPaymentBody()
    const { header, payload } = await paymentFor(authorizeGbPayment.path, body, gbHeaders(body))
    const result = await call(authorizeGbPayment.id, body, payload)
    expect([result.isError, JSON.parse(result.content[0].text).replayed]).toEqual([undefined, false])
    const purchase = { path: authorizeGbPayment.path, body, headers: gbHeaders(body) }
    const overHttp = await buyAnswer(given.server, purchase, header)
    expect(overHttp.answer.execution_id).toBe(JSON.parse(result.content[0].text).execution_id)
    expect(overHttp.answer.replayed).toBe(true)
  })

  test("sells the Payment Decision, whose stored bytes are the text", async () => {
    const request = freshRequest()
    const { header, payload } = await paymentFor(releasePaymentDecision.path, request)
    const result = await call(releasePaymentDecision.id, request, payload)
    const overHttp = await given.server.post(request, header)
    expect(await overHttp.text()).toBe(result.content[0].text)
    expect(result.structuredContent).toEqual(JSON.parse(result.content[0].text))
    expect(result._meta["x402/payment-response"]).toMatchObject({ success: true })
  })

  test("while its payment waits for a block returns the pending state, which is no error", async () => {
    await using slow = await answerTestServer({ settleWaitMs: 200 })
    const body = usBody()
    const header = await signedFor(slow.server, { path: checkCompany.path, body })
    const payload = decodeHeader<PaymentPayload>(header["payment-signature"] ?? null)
    await slow.chain.setAutomine(false)
    const sent = modern("tools/call", { name: checkCompany.id, arguments: body }, { "x402/payment": payload })
    const answer = await slow.server.post(sent.body, sent.headers, agentMcp.path)
    const { result } = (await answer.json()) as { result: ToolResult }
    expect([result.isError, JSON.parse(result.content[0].text).state]).toEqual([undefined, "PENDING"])
    expect(result.structuredContent).toEqual(JSON.parse(result.content[0].text))
    expect(result._meta["x402/payment-response"]).toMatchObject({ success: false, errorReason: "settlement_pending" })
  })

  test.each([["text"], [{}], [null], [{ x402Version: 1 }]])("rejects %p as a payment", async (payment) => {
    const result = await call(checkCompany.id, usBody(), payment)
    const problem = JSON.parse(result.content[0].text)
    expect([result.isError, problem.code, problem.charged]).toEqual([true, "PAYMENT_HEADER_MALFORMED", false])
  })

  test("rejects raw bank data without repeating it", async () => {
    const result = await call(authorizeGbPayment.id, gbPaymentBody({ idempotency_key: "DE89370400440532013000" }))
    expect(JSON.parse(result.content[0].text).code).toBe("RAW_BANK_DATA_REJECTED")
    expect(result.content[0].text).not.toContain("DE8937")
  })
})

/** Calls the paid tool, pays what the quote asks with the x402 client, and calls again. */
async function purchase(callTool: (params: never) => Promise<unknown>, body: object): Promise<ToolResult> {
  const params = { name: checkCompany.id, arguments: body }
  const quoted = (await callTool(params as never)) as ToolResult
  expect(quoted.isError).toBe(true)
  const wallet = new x402Client().register("eip155:8453", new ExactEvmScheme(DEV_ACCOUNTS.payer))
  const payment = await wallet.createPaymentPayload(quoted.structuredContent as never)
  return (await callTool({ ...params, _meta: { "x402/payment": payment } } as never)) as ToolResult
}

/** What the tests use of a client of the earlier era. Each version of the SDK has types of its own. */
interface AnyClient {
  connect(transport: never): Promise<void>
  listTools(): Promise<{ tools: readonly { name: string }[] }>
  callTool(params: never): Promise<unknown>
  close(): Promise<void>
}
interface Sdk {
  readonly Client: new (info: { name: string; version: string }) => AnyClient
  readonly Transport: new (url: URL) => object
}
const SDKS: readonly (readonly [version: string, revision: string, sdk: Sdk])[] = [
  ["1.10.2", "2024-11-05", { Client: Client110, Transport: Transport110 }],
  ["1.12.3", "2025-03-26", { Client: Client112, Transport: Transport112 }],
  ["1.17.5", "2025-06-18", { Client: Client117, Transport: Transport117 }],
  ["1.32.2", "2025-11-25", { Client: Client132, Transport: Transport132 }],
]

/** The endpoint on a socket, because the older clients take no function in place of fetch. It notes the revision that was agreed on. */
function onSocket() {
  const seen: string[] = []
  const socket = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const answer = await given.server.handle(new Request(new URL(new URL(request.url).pathname, ORIGIN), request))
      const text = await answer.text()
      seen.push(...(/"protocolVersion":"([\d-]+)"/.exec(text)?.slice(1) ?? []))
      return new Response(text === "" ? null : text, answer)
    },
  })
  return { seen, url: new URL(agentMcp.path, socket.url), stop: () => socket.stop(true) }
}

describe("an agent that has only MCP buys an answer", () => {
  test("client 2.4.0, revision 2026-07-28", async () => {
    const before = await given.transfers()
    const client = new Client({ name: "buyer", version: "1" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchHere as typeof fetch }))
    const body = usBody()
    const bought = await purchase((params) => client.callTool(params), body)
    expect(JSON.parse(bought.content[0].text)).toMatchObject({ product_or_solution: "us.company.check.v1" })
    expect(bought._meta["x402/payment-response"]).toMatchObject({ success: true })
    expect((await given.transfers()) - before).toBe(1)
    await client.close()
  })

  test.each(SDKS)("sdk %s, revision %s", async (_version, revision, { Client, Transport }) => {
    const before = await given.transfers()
    const socket = onSocket()
    const client = new Client({ name: "buyer", version: "1" })
    await client.connect(new Transport(socket.url) as never)
    expect(socket.seen).toEqual([revision])
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([checkCompany.id, "check_eligibility"]))
    const body = usBody()
    const draft = { product: checkCompany.id, request: body }
    const free = (await client.callTool({ name: "check_eligibility", arguments: draft } as never)) as ToolResult
    expect([free.isError ?? false, JSON.parse(free.content[0].text).product]).toEqual([false, "us.company.check.v1"])
    const bought = await purchase((params) => client.callTool(params), body)
    expect(JSON.parse(bought.content[0].text)).toMatchObject({ product_or_solution: "us.company.check.v1" })
    expect(bought._meta["x402/payment-response"]).toMatchObject({ success: true })
    expect((await given.transfers()) - before).toBe(1)
    await client.close()
    await socket.stop()
  })
})

test("a source that fails gives an uncharged answer: no error, no settlement, and the next action", async () => {
  await using failing = await answerTestServer({ gb: gbSources({ listState: { health: "STALE" } }) })
  const sent = modern("tools/call", { name: authorizeGbPayment.id, arguments: gbPaymentBody() })
  const answer = await failing.server.post(sent.body, sent.headers, agentMcp.path)
  const { result } = (await answer.json()) as { result: ToolResult }
  expect([result.isError, result._meta["x402/payment-response"]]).toEqual([undefined, undefined])
  expect(JSON.parse(result.content[0].text)).toMatchObject({
    decision: "RETRY",
    machine_action: "RETRY_LATER_WITHOUT_PAYMENT",
    economic_activity: { charged: false },
  })
})

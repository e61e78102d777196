/** Real answers of a server match the OpenAPI document: status, required headers, media type and body. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { type Bench, openBench, reconcileUntilQuiet } from "../delivery/selling-bench.ts"
import { signedFor } from "../fixtures/answers.ts"
import { signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { OpenapiChecker, type OpenapiDocument, printedOpenapi } from "../fixtures/openapi.ts"
import { EACH_PRODUCT, PRODUCT_ROWS, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { decodeHeader, freshRequest, PATH, paymentHeader, quoteFor, type TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

const checker = new OpenapiChecker(JSON.parse(printedOpenapi()) as OpenapiDocument)

/** Something for each path parameter that is well formed and does not exist. */
const PARAMETERS: Readonly<Record<string, string>> = {
  agentId: `svc:agent:${"A".repeat(32)}`,
  challengeId: "A".repeat(32),
  channel: "mcp",
  cnpj: "12ABC34501DE35",
  consentId: "consent-2026-1",
  code: "NOT_FOUND",
  delegationId: `dgn_${"A".repeat(22)}`,
  executionId: `exe_${"A".repeat(22)}`,
  from: "1",
  index: "0",
  offerCapsuleId: `ofr_${"A".repeat(22)}`,
  passportId: `psp_${"A".repeat(22)}`,
  reference: "A".repeat(32),
  rest: "0/000.p/3",
  size: "3",
  to: "3",
}
const pathOf = (template: string) =>
  template.replace(/\{([A-Za-z]+)\}/g, (_, name: string) => encodeURIComponent(PARAMETERS[name] ?? ""))

describe("a server without payments", () => {
  let served: ServedService
  beforeAll(async () => {
    served = await servedService()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const free = Object.entries(checker.document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => [operation.operationId, method, template, operation] as const),
  )

  test.each(free)(
    "%s answers as documented: with an example, without a body, with a wrong one",
    async (_id, method, template, operation) => {
      const path = pathOf(template)
      const url = served.origin + path
      const send = (body?: string, headers: Record<string, string> = {}) =>
        fetch(url, { method: method.toUpperCase(), headers, redirect: "manual", ...(body !== undefined && { body }) })
      const json = { "content-type": "application/json" }
      const example = checker.example(operation)
      const answers =
        method === "get"
          ? [await send(), await send(undefined, { accept: "text/html" })]
          : [
              await send(JSON.stringify(example ?? {}), json),
              await send("{", json),
              await send('{"unknown_member":1}', json),
              await send("{}", { "content-type": "text/plain" }),
              await send(`{"pad":"${"x".repeat(70_000)}"}`, json),
            ]
      const etag = answers[0]?.headers.get("etag")
      if (etag) answers.push(await send(undefined, { "if-none-match": etag }))
      const faults = await Promise.all(
        answers.map((answer) => checker.undocumented(method, decodeURIComponent(path), answer)),
      )
      expect(faults.flat()).toEqual([])
    },
  )

  test.each(["text/html", "application/json"])(
    "an unknown error code is refused as documented, as %s",
    async (accept) => {
      const path = "/problems/UNKNOWN"
      const answer = await fetch(served.origin + path, { headers: { accept } })
      expect(answer.status).toBe(404)
      expect(await checker.undocumented("GET", path, answer)).toEqual([])
    },
  )

  test.each(["/v1/agent/mcp", "/v1/agent/a2a", "/v1/us/company-check"])(
    "a refusal before the route %s is as documented",
    async (path) => {
      const headers = { "content-type": "application/json", host: "a.example, b.example" }
      const answer = await fetch(served.origin + path, { method: "POST", headers, body: "{}" })
      expect(answer.status).toBe(400)
      expect(await checker.undocumented("POST", path, answer)).toEqual([])
    },
  )

  test("a notification over MCP is accepted as documented", async () => {
    const path = "/v1/agent/mcp"
    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
    const headers = { "content-type": "application/json" }
    const answer = await fetch(served.origin + path, { method: "POST", headers, body })
    expect(answer.status).toBe(202)
    expect(await checker.undocumented("POST", path, answer)).toEqual([])
  })

  test("an identity of the challenge example is enrolled as documented up to its proof", async () => {
    const operation = checker.operation("POST", "/v1/agent-identities/challenges")
    const body = JSON.stringify(checker.example(operation))
    const answer = await fetch(`${served.origin}/v1/agent-identities/challenges`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    })
    expect(answer.status).toBe(201)
    expect(await checker.undocumented("POST", "/v1/agent-identities/challenges", answer)).toEqual([])
  })
})

describe("a server that sells", () => {
  let bench: Bench
  let server: TestServer
  beforeAll(async () => {
    bench = await openBench()
    server = await bench.server({ settleWaitMs: 400 })
    await prepareProducts(server)
  })
  afterAll(() => bench.close())

  test.each(EACH_PRODUCT)("%s quotes as documented, in the body and in the header", async (_, row) => {
    const { path, body, headers } = purchaseOf(row, row.body())
    const answer = await server.post(body, headers, path)
    expect(answer.status).toBe(402)
    const required = decodeHeader<object>(answer.headers.get("payment-required"))
    const quote = checker.resolved({ $ref: "#/components/headers/PaymentRequired" }) as {
      readonly schema?: { readonly contentSchema: object }
    }
    expect(checker.faults(quote.schema?.contentSchema ?? {}, required)).toEqual([])
    const whole = (await answer.clone().json()) as { readonly svc: unknown }
    const { svc, ...rest } = whole
    expect(rest).toEqual(required as typeof rest)
    expect(await checker.undocumented("POST", path, answer)).toEqual([])
  })

  test.each(PRODUCT_ROWS.filter(({ path }) => path !== PATH).map((row) => [row.id, row] as const))(
    "%s delivers as documented, and its stored answer and capsule are as documented",
    async (_, row) => {
      const purchase = purchaseOf(row, row.body())
      const payment = await signedFor(server, purchase)
      const answer = await server.post(purchase.body, { ...purchase.headers, ...payment }, purchase.path)
      const { execution_id } = (await answer.clone().json()) as { readonly execution_id: string }
      expect([answer.status, execution_id]).toEqual([200, expect.stringMatching(/^exe_/)])
      expect(await checker.undocumented("POST", purchase.path, answer)).toEqual([])
      const stored = `/v1/${row.country.toLowerCase()}/executions/${execution_id}`
      for (const path of [stored, `${stored}/proof`]) {
        const again = await server.get(path)
        expect([again.status, await checker.undocumented("GET", path, again)]).toEqual([200, []])
      }
    },
  )

  test("the Payment Decision delivers, and a payment that settles later is pending, both as documented", async () => {
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    const payment = paymentHeader(await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(Date.now() / 1000)))
    await bench.chain.setAutomine(false)
    const pending = await server.post(request, payment)
    expect(pending.status).toBe(202)
    expect(await checker.undocumented("POST", PATH, pending)).toEqual([])
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    const delivered = await server.post(request, payment)
    expect(delivered.status).toBe(200)
    expect(await checker.undocumented("POST", PATH, delivered)).toEqual([])
  })
})

/**
 * A proxy buffers the head of a response in one page of 4,096 bytes and answers 502 when it does not fit. Every response of every route,
 * with a base URL of 64 characters, stays far below that.
 */
import { afterAll, beforeAll, beforeEach, describe, expect } from "bun:test"
import type { SettleResponse } from "../../schemas/x402.ts"
import { realMachine } from "../../src/base/machine.ts"
import { RateLimiter, type RateLimits, unlimited } from "../../src/http/rate-limit.ts"
import { encodeHeader } from "../../src/payments/payment-header.ts"
import { routes } from "../../src/server/app.ts"
import { type AnswerTestServer, answerTestServer } from "../fixtures/answer-test-server.ts"
import { buyAnswer, signedFor } from "../fixtures/answers.ts"
import { HEADER_BYTES_MAX, headerBytes } from "../fixtures/header-bytes.ts"
import { EACH_PRODUCT, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { decodeHeader, enterBuyer, ORIGIN, openTestServer, type TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

const BASE_URL = `https://${"h".repeat(44)}.example.com`
const PARAMETER = "p".repeat(40)

let own: AnswerTestServer
let open: Readonly<Record<"on" | "off", TestServer>>
beforeAll(async () => {
  own = await answerTestServer({ address: BASE_URL, limiter: ample() })
  await enterBuyer(own.server)
  await prepareProducts(own.server)
  open = {
    on: own.server,
    off: await openTestServer(own.database, own.chain, { address: BASE_URL, limiter: unlimited }),
  }
})
// On a server the failed payments of a client are rows, which the limits of this test do not govern.
beforeEach(() => own.database.write("DELETE FROM shared_use"))
afterAll(async () => {
  await open.off.close()
  await own[Symbol.asyncDispose]()
})

/** Limits whose headers are on every response. Each call is of another client, so no budget ends. */
function ample(): RateLimits {
  const limiter = new RateLimiter(realMachine)
  let client = 0
  return {
    take: (group, _, perMinute) => limiter.take(group, String(++client), perMinute),
    count: () => {},
    requireAtMost: () => {},
  }
}

/** Returns the response. Throws if its head is too long. */
function measured(response: Response): Response {
  const bytes = headerBytes(response)
  if (bytes > HEADER_BYTES_MAX) throw new Error(`${bytes} bytes: ${JSON.stringify([...response.headers])}`)
  return response
}

test("the count is what the socket writes, or a few bytes more", async () => {
  const headers = { "content-type": "application/json", "payment-required": "q".repeat(2000) }
  using server = Bun.serve({ port: 0, fetch: () => new Response("{}", { status: 402, headers }) })
  const head = Promise.withResolvers<string>()
  let text = ""
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port ?? 0,
    socket: {
      data: (_, chunk) => {
        text += chunk.toString("latin1")
        if (text.includes("\r\n\r\n")) head.resolve(text.slice(0, text.indexOf("\r\n\r\n") + 4))
      },
    },
  })
  socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
  const sent = (await head.promise).length
  socket.end()
  const counted = headerBytes(new Response("{}", { status: 402, headers }))
  expect([counted >= sent, counted < sent + 64]).toEqual([true, true])
})

const bazaarOf = (response: Response) =>
  decodeHeader<{ extensions?: { bazaar?: object } }>(response.headers.get("payment-required")).extensions?.bazaar

test("the base URL has 64 characters", () => expect(BASE_URL).toHaveLength(64))

describe.each(["on", "off"] as const)("with rate limits %s", (limits) => {
  const posting = (row: ProductRow) => {
    const purchase = purchaseOf(row, row.body())
    const send = (payment: Record<string, string>) =>
      open[limits].post(purchase.body, { ...purchase.headers, ...payment }, purchase.path)
    return { purchase, send }
  }

  test.each(EACH_PRODUCT)("the quote of %s has room, and describes the route to indexes", async (_, row) => {
    const { send } = posting(row)
    for (const version1 of [{}, { "x-payment": "e30=" }]) {
      const quote = measured(await send(version1))
      expect([quote.status, quote.headers.has("ratelimit")]).toEqual([402, limits === "on"])
      expect(bazaarOf(quote)).toBeDefined()
    }
  })

  test.each(EACH_PRODUCT)("a rejected payment for %s gets a quote without that description", async (_, row) => {
    const { purchase, send } = posting(row)
    const payment = await signedFor(open[limits], purchase)
    const sent = decodeHeader<{ payload: { signature: string } }>(payment["payment-signature"] ?? null)
    const unsigned = { ...sent, payload: { ...sent.payload, signature: `0x${"22".repeat(64)}1b` } }
    for (const rejected of [{ ...unsigned, accepted: { ...Object(sent).accepted, amount: "1" } }, unsigned]) {
      const quote = measured(await send({ "payment-signature": encodeHeader(rejected) }))
      expect([quote.status, bazaarOf(quote)]).toEqual([402, undefined])
    }
    const longest: SettleResponse = {
      success: false,
      errorReason: "r".repeat(96),
      transaction: `0x${"0".repeat(64)}`,
      network: "eip155:8453",
      payer: `0x${"0".repeat(40)}`,
    }
    // No reason of a rejected payment or of a failed settlement is longer.
    const quote = await send({ "payment-signature": encodeHeader(unsigned) })
    const required = decodeHeader<object>(quote.headers.get("payment-required"))
    quote.headers.set("payment-required", encodeHeader({ ...required, error: "e".repeat(300) }))
    quote.headers.set("payment-response", encodeHeader(longest))
    measured(quote)
  })
})

test.each(EACH_PRODUCT)("the paid answer of %s has room", async (_, row) => {
  const purchase = purchaseOf(row, row.body())
  const { status, headers } = await buyAnswer(open.on, purchase)
  measured(new Response(null, { status, headers }))
  expect([status, headers.has("payment-response"), headers.has("ratelimit")]).toEqual([200, true, true])
})

describe("every route", () => {
  const BROWSER = { accept: "text/html" }

  /** Calls of one path: well formed, malformed, of a browser, of another origin, with a method that it lacks. */
  function callsOf(path: string, method: string, body: object | undefined): readonly RequestInit[] {
    if (method === "GET") {
      return [{}, { headers: BROWSER }, { headers: { origin: BASE_URL } }, { method: "OPTIONS" }, { method: "DELETE" }]
    }
    const bodies = ["{", "{}", JSON.stringify(body ?? { path })]
    return bodies.map((text) => ({ method, headers: { "content-type": "application/json" }, body: text }))
  }

  test.each(["on", "off"] as const)("has room in all its answers, with rate limits %s", async (limits) => {
    const settings = { rate_limits: limits } as const
    await using running = await testService(realMachine, settings, BASE_URL)
    const { shell } = running.service
    const app = routes(running.service)
    const examples = new Map(shell.served.rows().map((row) => [`${row.method} ${row.path}`, row.exampleBody]))
    let seen = 0
    for (const { method, path } of app.routes) {
      const template = path.replace(/:([A-Za-z]+)/g, "{$1}")
      const called = ORIGIN + path.replace(/:[A-Za-z]+/g, PARAMETER).replace("*", PARAMETER)
      for (const init of callsOf(template, method, examples.get(`${method} ${template}`))) {
        measured(await app.handle(new Request(called, init)))
        seen++
      }
    }
    measured(await app.handle(new Request(`${ORIGIN}/nowhere/${PARAMETER}`)))
    measured(await app.handle(new Request(`${ORIGIN}/nowhere/${PARAMETER}`, { headers: BROWSER })))
    expect(seen).toBeGreaterThan(app.routes.length)
  })

  test("has room when its budget is used up", async () => {
    await using running = await testService(realMachine, { rate_limits: "on" }, BASE_URL)
    const { shell } = running.service
    const app = routes(running.service)
    for (const row of shell.served.rows()) {
      const { group, perMinute } = row.rateLimit
      for (let used = 0; used < perMinute; used++) shell.limiter.take(group, "unknown", Number.POSITIVE_INFINITY)
    }
    const statuses = new Set<number>()
    for (const { method, path } of app.routes) {
      const called = ORIGIN + path.replace(/:[A-Za-z]+/g, PARAMETER)
      const body = method === "POST" ? { body: "{}", headers: { "content-type": "application/json" } } : {}
      statuses.add(measured(await app.handle(new Request(called, { method, ...body }))).status)
    }
    expect(statuses.has(429)).toBe(true)
  })
})

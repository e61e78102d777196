import { afterAll, beforeAll, describe, expect } from "bun:test"
import { type AnswerTestServer, answerTestServer } from "../fixtures/answer-test-server.ts"
import { PRICE_ATOMIC } from "../fixtures/authorizations.ts"
import { type Chain, DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storeWith } from "../fixtures/store-with.ts"
import {
  decodeHeader,
  enterBuyer,
  freshRequest,
  openTestServer,
  PATH,
  quoteFor,
  signedHeader,
  type TestServer,
} from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let seller: AnswerTestServer
let chain: Chain
let server: TestServer

beforeAll(async () => {
  seller = await answerTestServer()
  ;({ chain, server } = seller)
  await enterBuyer(server)
})

afterAll(() => seller[Symbol.asyncDispose]())

const paidSoFar = () => seller.transfers()

interface Problem {
  code: string
  charged: boolean
  reason_codes: string[]
}

describe("the paid path", () => {
  test("a request without a payment header gets a quote bound to its body, and no charge", async () => {
    const before = await paidSoFar()
    const answer = await server.post(freshRequest())
    expect(answer.status).toBe(402)
    const text = await answer.text()
    const body = JSON.parse(text) as Record<string, { not_a_charge: boolean; price: { amount: string } }>
    expect(Object.keys(body)).toEqual(["x402Version", "error", "resource", "accepts", "extensions", "svc"])
    expect(text).toBe(JSON.stringify(body))
    expect(body["svc"]?.not_a_charge).toBe(true)
    expect(body["svc"]?.price.amount).toBe("0.79")
    const { svc: _, ...required } = body
    expect(decodeHeader<typeof required>(answer.headers.get("payment-required"))).toEqual(required)
    expect(await paidSoFar()).toBe(before)
  })

  test("a valid payment is delivered once: one transfer, stored bytes, the same bytes again for the same header", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await paidSoFar()
    const first = await server.post(request, header)
    expect(first.status).toBe(200)
    const bytes = await first.text()
    const body = JSON.parse(bytes) as { decision: string; billing: { settlement_reference: string } }
    expect(["ALLOW", "ALLOW_WITH_CONDITIONS"]).toContain(body.decision)
    expect(first.headers.get("cache-control")).toBe("private, no-store")
    expect(decodeHeader<{ success: boolean }>(first.headers.get("payment-response")).success).toBe(true)
    const transfers = await chain.transfersTo(DEV_ACCOUNTS.payTo.address)
    expect(transfers.length).toBe(before + 1)
    expect(transfers.at(-1)?.value).toBe(PRICE_ATOMIC)
    expect(body.billing.settlement_reference).toBe(`eip155:8453/tx/${transfers.at(-1)?.hash}`)

    const again = await server.post(request, header)
    expect([again.status, await again.text()]).toEqual([200, bytes])
    expect(await paidSoFar()).toBe(before + 1)

    const without = await server.post(request)
    expect([without.status, ((await without.json()) as Problem).code]).toEqual([409, "ALREADY_ACQUIRED"])
  })

  test("a paid header moved to another body is refused and not charged", async () => {
    const header = await signedHeader(server, freshRequest())
    const before = await paidSoFar()
    const answer = await server.post(freshRequest(), header)
    expect(answer.status).toBe(402)
    expect(decodeHeader<{ error: string }>(answer.headers.get("payment-required")).error).toBe(
      "quote_not_for_this_request",
    )
    expect(await paidSoFar()).toBe(before)
  })

  test("a key reused with another body gets 409 before any settlement", async () => {
    const request = freshRequest()
    await server.post(request, await signedHeader(server, request))
    const before = await paidSoFar()
    const other = freshRequest({ request: { idempotency_key: request.idempotency_key } })
    const answer = await server.post(other)
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([409, "IDEMPOTENCY_KEY_REUSED"])
    expect(await paidSoFar()).toBe(before)
  })

  test("fifty identical concurrent paid requests give one transfer and fifty equal responses", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await paidSoFar()
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.post(request, header)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect(await paidSoFar()).toBe(before + 1)
  })

  test("two processes on one database settle the same attempt once", async () => {
    const other = await openTestServer(seller.database, chain)
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await paidSoFar()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? server : other).post(request, header)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect(await paidSoFar()).toBe(before + 1)
    await other.close()
  })

  test("an unreadable payment header gets 400", async () => {
    const request = freshRequest()
    for (const headers of [
      { "payment-signature": "not base64!" },
      { "payment-signature": Buffer.from("[]").toString("base64") },
      { "payment-signature": Buffer.from('{"a":1,"a":2}').toString("base64") },
    ] as Record<string, string>[]) {
      const answer = await server.post(request, headers)
      expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([400, "PAYMENT_HEADER_MALFORMED"])
    }
  })

  test("a wallet that the signed request does not name cannot pay", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request, {}, DEV_ACCOUNTS.secondPayer)
    const answer = await server.post(request, header)
    expect(answer.status).toBe(402)
    expect(decodeHeader<{ error: string }>(answer.headers.get("payment-required")).error).toBe(
      "decision_fee_payer_mismatch",
    )
  })

  test("an invalid signature reserves nothing", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request, {
      wrap: (signature) => `0x${"22".repeat(64)}${signature.slice(-2)}`,
    })
    const answer = await server.post(request, header)
    expect(answer.status).toBe(402)
    expect(await server.database.count("decision_request", "idempotency_key = ?1", request.idempotency_key)).toBe(0)
  })
})

describe("recovery", () => {
  test("a payment header gets 400 before the body is read", async () => {
    const answer = await server.post("{", { "payment-signature": "x" }, `${PATH}/recover`)
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([400, "PAYMENT_HEADER_FORBIDDEN"])
  })
})

test("an unpaid call that gets a quote writes no row", async () => {
  const count = () => server.database.count("decision_request")
  const before = await count()
  await quoteFor(server, freshRequest())
  expect(await count()).toBe(before)
})

test("an equal paid request that another server reserves after the first look counts as the same request, not as another payment", async () => {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const before = await paidSoFar()
  /** Of the paid call. */
  let reads = Number.NaN
  let elsewhere = ""
  const late = await openTestServer(seller.database, chain, {
    inPlaceOf: (own) =>
      storeWith(own, {
        read: async (unit) => {
          const found = await own.read(unit)
          // The first view reads the signing key and the second one everything else; the other server sells before the later reads.
          if (++reads === 2) elsewhere = await (await server.post(request, header)).text()
          return found
        },
      }),
  })
  try {
    reads = 0
    const answer = await late.post(request, header)
    expect([answer.status, await answer.text()]).toEqual([200, elsewhere])
    expect(elsewhere).toContain('"settlement_state":"SETTLED"')
    expect(await paidSoFar()).toBe(before + 1)
  } finally {
    await late.close()
  }
})

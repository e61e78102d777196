/**
 * Hosted settlement end to end: a facilitator that submits, reports wrong results, fails or does not respond. Only our own node ends an
 * attempt.
 */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { PaymentPayload } from "../../schemas/x402.ts"
import { realMachine } from "../../src/base/machine.ts"
import { authorizationOf } from "../../src/payments/authorization.ts"
import { PAUSE_MS_FIRST } from "../../src/payments/hand-over-pace.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import {
  type Bench,
  clockMachine,
  openBench,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  settlementOf,
  theAttempt,
} from "../delivery/selling-bench.ts"
import { PLAIN_FORMS, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, paymentHeader, quoteFor, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let server: TestServer
let received: PaymentPayload["payload"][] = []
let behave: (payload: PaymentPayload["payload"]) => Response | Promise<Response> = () => Response.json({})

const facilitator = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    // Readiness calls GET /supported, and any response counts.
    if (request.method === "GET") return new Response(null, { status: 404 })
    const { paymentPayload } = (await request.json()) as { paymentPayload: PaymentPayload }
    received.push(paymentPayload.payload)
    return behave(paymentPayload.payload)
  },
})

const claims = (success: boolean, transaction = "", errorReason?: string) =>
  Response.json({ success, transaction, network: "eip155:8453", ...(errorReason && { errorReason }) })
const submit = (payload: PaymentPayload["payload"]) =>
  bench.chain.send(DEV_ACCOUNTS.relayer, { to: USDC_ADDRESS, data: transferCall(authorizationOf(payload)) })

const clock = clockMachine()
const hosted = (settleWaitMs: number) =>
  bench.server({
    machine: clock,
    settleWaitMs,
    settings: {
      settler: { kind: "http", facilitatorUrl: `http://127.0.0.1:${facilitator.port}` },
    },
  })

beforeAll(async () => {
  bench = await openBench()
  server = await hosted(300)
})
afterEach(() => {
  bench.proxy.reset()
  received = []
})
afterAll(async () => {
  await facilitator.stop(true)
  await bench.close()
})

async function pay() {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const before = await bench.paid()
  const answer = await server.post(request, header)
  return { request, header, answer, paid: (await bench.paid()) - before }
}

describe("a hosted facilitator", () => {
  test("that submits gives a delivery on its transaction, and the service sends nothing", async () => {
    let hash = ""
    behave = async (payload) => {
      hash = await submit(payload)
      return claims(true, hash)
    }
    const { answer, paid } = await pay()
    expect([answer.status, settlementOf(answer).transaction, paid]).toEqual([200, hash, 1])
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    expect(received).toHaveLength(1)
  })

  test.each(PLAIN_FORMS)("gets the form that USDC accepts of a payment signed with %s", async (_, wrap) => {
    behave = async (payload) => claims(true, await submit(payload))
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    const signed = await signPayment(DEV_ACCOUNTS.payer, terms, await bench.chain.now(), { wrap })
    expect((await server.post(request, paymentHeader(signed))).status).toBe(200)
    expect(received.map(({ signature }) => signature)).toEqual([expect.stringMatching(/^0x[0-9a-f]{128}1[bc]$/)])
  })

  test.each([
    ["answers 500", () => new Response("broken", { status: 500 })],
    ["says it failed", () => claims(false, "", "insufficient_funds")],
    ["names another transaction", () => claims(true, `0x${"ab".repeat(32)}`)],
    ["answers garbage", () => new Response("<html>")],
  ])("that submits but %s still gives one delivery", async (_, answerOf) => {
    behave = async (payload) => {
      await submit(payload)
      return answerOf()
    }
    const { answer, paid } = await pay()
    expect([answer.status, paid]).toEqual([200, 1])
  })

  test.each([
    ["claims success", () => claims(true, `0x${"cd".repeat(32)}`)],
    ["claims failure", () => claims(false, "", "invalid_exact_evm_signature")],
    ["answers 500", () => new Response("broken", { status: 500 })],
  ])(
    "that submits nothing and %s gives 202 and no delivery, until it gets the payment again and submits it",
    async (_, answerOf) => {
      behave = answerOf
      const { request, header, answer, paid } = await pay()
      expect([answer.status, settlementOf(answer).success, paid]).toEqual([202, false, 0])
      expect((await theAttempt(server, request)).state).toBe("SETTLING")
      expect(await rowsOf(server, request)).toMatchObject({ computed: 1, delivered: 0 })
      const before = await bench.paid()
      behave = async (payload) => claims(true, await submit(payload))
      clock.advance(PAUSE_MS_FIRST)
      await reconcileOnce(server.deps)
      await reconcileUntilQuiet(server)
      expect((await server.post(request, header)).status).toBe(200)
      expect(await bench.paid()).toBe(before + 1)
    },
  )

  test("that does not respond makes repeated calls get 202, and the transfer that it submits later is delivered", async () => {
    const keep: { payload?: PaymentPayload["payload"] } = {}
    const silence = Promise.withResolvers<Response>()
    behave = (payload) => {
      keep.payload = payload
      return silence.promise
    }
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    const waiting = server.post(request, header)
    await until("the payment is handed over", () => keep.payload)
    expect((await server.post(request, header)).status).toBe(202)
    expect((await server.post(request)).status).toBe(202)
    if (!keep.payload) throw new Error("nothing was handed over")
    await submit(keep.payload)
    silence.resolve(new Response("too late", { status: 504 }))
    expect((await waiting).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("gets no further request for an attempt that the chain has already decided", async () => {
    behave = () => new Response("broken", { status: 500 })
    const { request } = await pay()
    const { nonce } = await theAttempt(server, request)
    const stranger = received.find(({ authorization }) => authorization.nonce === nonce)
    if (!stranger) throw new Error("nothing was handed over")
    await submit(stranger)
    received = []
    await reconcileUntilQuiet(server)
    expect(received).toHaveLength(0)
    expect((await theAttempt(server, request)).state).toBe("SETTLED")
  })
})

describe("a hosted facilitator that settles nothing", () => {
  /** One sale with its own clock, whose payment stays open. */
  async function openSale(answerOf: () => Response) {
    const own = await openBench()
    let now = Date.now()
    const machine = { ...realMachine, now: () => now, monotonic: () => now }
    const selling = await own.server({
      machine,
      settleWaitMs: 0,
      settings: { settler: { kind: "http", facilitatorUrl: `http://127.0.0.1:${facilitator.port}` } },
    })
    behave = answerOf
    const request = freshRequest()
    const header = await signedHeader(selling, request)
    expect((await selling.post(request, header)).status).toBe(202)
    /** The times, in seconds after the sale, at which the facilitator is asked within `seconds` of rounds. */
    const requestedAt = async (seconds: number): Promise<number[]> => {
      const times: number[] = []
      for (let second = 1; second <= seconds; second++) {
        now += 1000
        received = []
        await reconcileOnce(selling.deps)
        if (received.length > 0) times.push(second)
      }
      return times
    }
    return { selling, requestedAt, [Symbol.asyncDispose]: own.close }
  }

  test("is called again after two seconds, then after twice as long each time, at most after a minute", async () => {
    await using sale = await openSale(() => claims(false, "", "insufficient_funds"))
    expect(await sale.requestedAt(200)).toEqual([2, 6, 14, 30, 62, 122, 182])
  })

  test("gets no calls for any payment while it does not respond, and calls for all of them when it responds again", async () => {
    await using sale = await openSale(() => new Response("", { status: 503 }))
    const other = freshRequest()
    const header = await signedHeader(sale.selling, other)
    received = []
    expect((await sale.selling.post(other, header)).status).toBe(202)
    // The other payment was not handed over at all.
    expect(received).toHaveLength(0)
    // Silent calls at 1, 2, 4, 8 and 16 seconds. The first payment is due after 2, so the other one is used.
    expect(await sale.requestedAt(60)).toEqual([1, 3, 7, 15, 31])
    behave = () => claims(false, "", "insufficient_funds")
    const before = sale.selling.lines.length
    expect((await sale.requestedAt(40)).length).toBeGreaterThan(0)
    expect(sale.selling.lines.slice(before).filter(({ level }) => level === "error")).toEqual([])
  })

  test.each([
    [429, "17", [17]],
    [503, "17", [17]],
    [429, "garbage", [2, 6, 14, 30]],
  ] as const)(
    "that answers %i with Retry-After %s is called when the header says",
    async (status, retryAfter, requests) => {
      await using sale = await openSale(() => new Response(null, { status, headers: { "retry-after": retryAfter } }))
      expect(await sale.requestedAt(30)).toEqual([...requests])
    },
  )
})

test("an authorization that expires at the facilitator ends as a failed settlement: 402 with a new quote and no charge", async () => {
  await using late = await openBench()
  const machine = clockMachine()
  const selling = await late.server({
    machine,
    settleWaitMs: 100,
    settings: { settler: { kind: "http", facilitatorUrl: `http://127.0.0.1:${facilitator.port}` } },
  })
  behave = () => claims(true, `0x${"ef".repeat(32)}`)
  const request = freshRequest()
  const header = await signedHeader(selling, request)
  expect((await selling.post(request, header)).status).toBe(202)
  machine.advance(400_000)
  await late.chain.increaseTime(400)
  await late.chain.mine(3)
  received = []
  await reconcileUntilQuiet(selling)
  expect(received).toHaveLength(0)
  expect(await theAttempt(selling, request)).toMatchObject({
    state: "FAILED",
    reason: "expired_unused",
    payloadJson: null,
  })
  const answer = await selling.post(request, header)
  expect([answer.status, refusedFor(answer)]).toEqual([402, "expired_unused"])
  expect(settlementOf(answer)).toMatchObject({ success: false, errorReason: "expired_unused", transaction: "" })
  expect(await late.paid()).toBe(0)
})

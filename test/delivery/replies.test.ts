/** The table of HTTP responses on the paid route, each with the effects it must not have: transfers, charges, rows. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { cancelCall, PRICE_ATOMIC, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { stopWrites } from "../fixtures/failing-store.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, paymentHeader, quoteFor, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import {
  type Bench,
  clockMachine,
  openBench,
  payloadOf,
  problemOf,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  settlementOf,
  theAttempt,
  UNTOUCHED,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

const { payer } = DEV_ACCOUNTS
const clock = clockMachine()
let bench: Bench
let server: TestServer

beforeAll(async () => {
  bench = await openBench()
  server = await bench.server({ machine: clock, settleWaitMs: 400 })
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

const junk = (signature: string) => `0x${"22".repeat(64)}${signature.slice(-2)}` as `0x${string}`

describe("a request without a payment header", () => {
  test("gets 202 with an unknown outcome, never a quote, while an attempt is running", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const sent = Promise.withResolvers<void>()
    bench.proxy.fault("eth_sendRawTransaction", { hold: sent.promise })
    const paying = server.post(request, header)
    await bench.proxy.reached("eth_sendRawTransaction")
    const answer = await server.post(request)
    expect(answer.status).toBe(202)
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(answer.headers.get("payment-required")).toBeNull()
    expect(settlementOf(answer)).toMatchObject({ success: false, errorReason: "settlement_pending" })
    sent.resolve()
    expect((await paying).status).toBe(200)
  })
})

describe("a second authorization for a request that was already paid", () => {
  test("from the same payer with a valid signature gets the original bytes, and is neither stored nor sent", async () => {
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    const now = Math.floor(Date.now() / 1000)
    const [first, second] = await Promise.all([signPayment(payer, terms, now), signPayment(payer, terms, now)])
    const bytes = await (await server.post(request, paymentHeader(first))).text()
    const [paid, balance] = [await bench.paid(), await bench.chain.balanceOf(payer.address)]
    const answer = await server.post(request, paymentHeader(second))
    expect([answer.status, await answer.text()]).toEqual([200, bytes])
    expect(settlementOf(answer).success).toBe(true)
    expect((await rowsOf(server, request)).attempts).toBe(1)
    expect([await bench.paid(), await bench.chain.balanceOf(payer.address)]).toEqual([paid, balance])
    expect(bench.proxy.calls.some(({ body }) => body.includes(second.payload.signature.slice(2)))).toBe(false)
  })

  test("gets 202 while the first is settling, and is neither stored nor sent", async () => {
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    const now = Math.floor(Date.now() / 1000)
    const before = await bench.paid()
    await bench.chain.setAutomine(false)
    expect((await server.post(request, paymentHeader(await signPayment(payer, terms, now)))).status).toBe(202)
    const second = await server.post(request, paymentHeader(await signPayment(payer, terms, now)))
    expect([second.status, settlementOf(second).errorReason]).toEqual([202, "settlement_pending"])
    expect((await rowsOf(server, request)).attempts).toBe(1)
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    expect(await bench.paid()).toBe(before + 1)
    expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, delivered: 1 })
  })

  test("with an invalid signature gets no bytes, whatever nonce it names", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    expect((await server.post(request, header)).status).toBe(200)
    const [paid, terms] = [await bench.paid(), payloadOf(header).accepted]
    const spent = payloadOf(header).payload.authorization.nonce as `0x${string}`
    for (const options of [{ wrap: junk }, { wrap: junk, nonce: spent }]) {
      const forged = await signPayment(payer, terms, Math.floor(Date.now() / 1000), options)
      const answer = await server.post(request, paymentHeader(forged))
      // As without a payment: the signed request proves its owner, and nobody pays for it again.
      const problem = await problemOf(answer)
      expect([answer.status, problem.code, answer.headers.get("payment-required")]).toEqual([
        409,
        "ALREADY_ACQUIRED",
        null,
      ])
      expect(JSON.stringify(problem)).not.toContain("proof_capsule")
    }
    expect(await bench.paid()).toBe(paid)
  })

  test("a nonce presented for another request gets 409, no charge and no row", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    expect((await server.post(request, header)).status).toBe(200)
    const other = freshRequest()
    const nonce = payloadOf(header).payload.authorization.nonce as `0x${string}`
    const before = await bench.paid()
    const answer = await server.post(other, await signedHeader(server, other, { nonce }))
    const problem = await problemOf(answer)
    expect([answer.status, problem.code, problem.charged]).toEqual([409, "PAYMENT_NONCE_REUSED", false])
    expect(await rowsOf(server, other)).toEqual(UNTOUCHED)
    expect(await bench.paid()).toBe(before)
  })
})

describe("an authorization that the payer cancelled before the service sent it", () => {
  test("gets 202 until a safe block proves the cancellation, then 402 with the failed settlement and a new quote; nothing was sent", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const { nonce } = payloadOf(header).payload.authorization
    const before = await bench.paid()
    await bench.chain.send(DEV_ACCOUNTS.stranger, {
      to: USDC_ADDRESS,
      data: await cancelCall(payer, nonce as `0x${string}`),
    })
    const unknown = await server.post(request, header)
    expect([unknown.status, settlementOf(unknown).errorReason]).toEqual([202, "settlement_pending"])
    await bench.chain.mine(2)
    await reconcileUntilQuiet(server)
    for (let time = 0; time < 2; time++) {
      const failed = await server.post(request, header)
      expect([failed.status, refusedFor(failed)]).toEqual([402, "cancelled"])
      expect(settlementOf(failed)).toMatchObject({ success: false, errorReason: "cancelled", transaction: "" })
    }
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    expect(await bench.paid()).toBe(before)
    expect(await rowsOf(server, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })

    const again = await server.post(request, await signedHeader(server, request))
    expect(again.status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })
})

describe("a payment whose outcome is unknown", () => {
  test("gets 202 and never 402, and the same header gets its answer once the chain shows the outcome", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    await bench.chain.setAutomine(false)
    const first = await server.post(request, header)
    expect(first.status).toBe(202)
    expect(first.headers.get("payment-required")).toBeNull()
    expect(settlementOf(first)).toMatchObject({ success: false, errorReason: "settlement_pending" })
    expect(settlementOf(first).transaction).toMatch(/^0x[0-9a-f]{64}$/)
    bench.proxy.fault("*", { reject: true })
    expect((await server.post(request, header)).status).toBe(202)
    expect((await server.post(request)).status).toBe(202)
    bench.proxy.reset()
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("gets 202, not an uncharged answer, when the database rejects writes after the broadcast", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    let full = () => {}
    const second = await bench.server({
      settleWaitMs: 300,
      trace: (step) => {
        if (step === "settling_stored") full()
      },
    })
    let mend = () => {}
    full = () => {
      mend = stopWrites(second.store)
    }
    const answer = await second.post(request, header)
    mend()
    expect([answer.status, settlementOf(answer).errorReason]).toEqual([202, "settlement_pending"])
    clock.advance(31_000)
    await reconcileUntilQuiet(server)
    expect(await bench.paid()).toBe(before + 1)
    expect((await server.post(request, header)).status).toBe(200)
  })
})

describe("a node that is unavailable before anything is sent", () => {
  test.each([
    ["while the payment is verified", "eth_getCode"],
    ["while the state is read", "eth_call"],
  ])("%s: 503 without a charge or a row, and the same header works later", async (_, method) => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    bench.proxy.fault(method, { reject: true })
    const answer = await server.post(request, header)
    const problem = await problemOf(answer)
    expect([answer.status, problem.code, problem.charged]).toEqual([503, "CHAIN_UNAVAILABLE", false])
    expect(answer.headers.get("retry-after")).not.toBeNull()
    expect(await rowsOf(server, request)).toEqual(UNTOUCHED)
    bench.proxy.reset()
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test.each([
    // The first block is read for the verification.
    ["before the gas is planned", "eth_getBlockByNumber", 1],
    ["while the gas is planned", "eth_getBalance", 0],
    ["before the nonce is allocated", "eth_getTransactionCount", 0],
  ])(
    "%s: 503 without a charge, the reservation and its holds are released, and the same header works later",
    async (_, method, answered) => {
      const request = freshRequest()
      const header = await signedHeader(server, request)
      const before = await bench.paid()
      let queries = 0
      bench.proxy.fault(method, { reject: true, when: () => ++queries > answered })
      const answer = await server.post(request, header)
      const problem = await problemOf(answer)
      expect([answer.status, problem.code, problem.charged]).toEqual([503, "CHAIN_UNAVAILABLE", false])
      expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", payloadJson: null, watched: 1 })
      expect(await rowsOf(server, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
      expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
      bench.proxy.reset()
      expect((await server.post(request, header)).status).toBe(200)
      expect(await bench.paid()).toBe(before + 1)
      expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, delivered: 1 })
    },
  )
})

test("a relayer without gas gives 503 without a charge; the same header works after the relayer is funded", async () => {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const before = await bench.paid()
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  const answer = await server.post(request, header)
  const problem = await problemOf(answer)
  expect([answer.status, problem.code, problem.charged]).toEqual([503, "RELAYER_UNFUNDED", false])
  expect((await theAttempt(server, request)).state).toBe("RELEASED")
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  expect((await server.post(request, header)).status).toBe(200)
  expect(await bench.paid()).toBe(before + 1)
})

test("a payer with too little money gets 402 before anything is reserved", async () => {
  const request = freshRequest({ request: { decision_fee_payer: DEV_ACCOUNTS.stranger.address } })
  const header = await signedHeader(server, request, {}, DEV_ACCOUNTS.stranger)
  const answer = await server.post(request, header)
  expect([answer.status, refusedFor(answer)]).toEqual([402, "invalid_exact_evm_insufficient_balance"])
  expect(await rowsOf(server, request)).toEqual(UNTOUCHED)
})

test("one balance cannot pay twice: one decision is delivered, the other is refused and costs no gas", async () => {
  const poor = DEV_ACCOUNTS.stranger
  await bench.chain.mint(poor.address, PRICE_ATOMIC)
  const requests = [1, 2, 3, 4].map(() => freshRequest({ request: { decision_fee_payer: poor.address } }))
  const headers = await Promise.all(requests.map((request) => signedHeader(server, request, {}, poor)))
  const before = await bench.paid()
  const answers = await Promise.all(requests.map((request, i) => server.post(request, headers[i])))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402])
  for (const answer of answers.filter(({ status }) => status === 402)) {
    expect(refusedFor(answer)).toBe("invalid_exact_evm_insufficient_balance")
  }
  expect(bench.proxy.count("eth_sendRawTransaction")).toBe(1)
  expect(await bench.paid()).toBe(before + 1)
})

test("a body of another payer's idempotency key, sent while the first is running, gets 409 before any settlement", async () => {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const other = freshRequest({ request: { idempotency_key: request.idempotency_key } })
  const otherHeader = await signedHeader(server, other)
  const before = await bench.paid()
  const answers = await Promise.all([server.post(request, header), server.post(other, otherHeader)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await bench.paid()).toBe(before + 1)
})

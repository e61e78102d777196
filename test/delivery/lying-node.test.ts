/** One node that gives wrong responses for a while. Each test first failed against code that believed it. */
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { encodeFunctionData, type Hex, parseTransaction, toHex } from "viem"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { HOUR, SECOND } from "../../src/core/time.ts"
import { openRelayer } from "../../src/payments/relayer.ts"
import { USDC_ABI } from "../../src/payments/usdc-contract.ts"
import { cancelCall, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, DEV_KEYS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest as anyRequest, paymentHeader, quoteFor, type TestServer } from "../fixtures/test-server.ts"
import {
  type Bench,
  type ClockMachine,
  clockMachine,
  openBench,
  openWork,
  payloadOf,
  reconcileUntilQuiet,
  theAttempt,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

const ZERO = `0x${"00".repeat(20)}` as const
const STATE_CALL = encodeFunctionData({
  abi: USDC_ABI,
  functionName: "authorizationState",
  args: [ZERO, `0x${"00".repeat(32)}`],
}).slice(0, 10)
const isStateCall = ([call]: readonly unknown[]) => (call as { data: string }).data.startsWith(STATE_CALL)
const SAYS_USED = { when: isStateCall, result: toHex(1, { size: 32 }) }

let bench: Bench
let server: TestServer
let clock: ClockMachine
beforeEach(async () => {
  bench = await openBench()
  clock = clockMachine()
  server = await bench.server({ settleWaitMs: 300, machine: clock })
  // One hour passes, so that the chain has blocks from before any quote: a wrong response may name them as well.
  clock.advance(HOUR)
  await bench.chain.increaseTime(HOUR / SECOND)
  await bench.chain.mine(5)
})
afterEach(() => bench.close())

/** A paid header, signed by the clock of the server and the chain. */
async function signedHeader(request: DecisionRequest): Promise<Record<string, string>> {
  const terms = await quoteFor(server, request)
  return paymentHeader(await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(clock.now() / SECOND)))
}

const freshRequest = () => anyRequest({ at: clock.now() })

const events = (name: string) => server.lines.filter(({ event }) => event === name)
const newestOf = async (attemptId: string) =>
  (await server.database.row<{ raw: Hex; nonce: number }>(
    `SELECT t.raw, t.nonce FROM relayer_transaction t JOIN relayer_nonce n USING (relayer, nonce)
     WHERE n.attempt_id = ?1 ORDER BY t.created_at DESC, t.nonce DESC LIMIT 1`,
    attemptId,
  )) as { raw: Hex; nonce: number }

describe("a node reports that an authorization is used but shows no log of it", () => {
  test("after a refused broadcast the buyer waits with 202, pays once and gets the decision", async () => {
    const request = freshRequest()
    const header = await signedHeader(request)
    bench.proxy.fault("eth_sendRawTransaction", { error: { code: -32005, message: "rate limit exceeded" } })
    const answering = server.post(request, header)
    await bench.proxy.reached("eth_sendRawTransaction")
    bench.proxy.fault("eth_call", SAYS_USED)
    expect((await answering).status).toBe(202)
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    expect((await theAttempt(server, request)).state).toBe("SETTLING")
    expect((await server.post(request, header)).status).toBe(202)
    expect(events("authorization_used_without_log")).toHaveLength(0)
    await bench.chain.mine(1)
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    expect(events("authorization_used_without_log")).toHaveLength(1)
    bench.proxy.reset()
    await reconcileUntilQuiet(server)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("after the delivery, when the receipt is gone too, the alarm comes at the second block", async () => {
    const request = freshRequest()
    expect((await server.post(request, await signedHeader(request))).status).toBe(200)
    bench.proxy.fault("eth_getTransactionReceipt", { result: null })
    bench.proxy.fault("eth_getLogs", { result: [] })
    for (const alarms of [0, 1]) {
      await reconcileOnce(server.deps)
      expect(events("authorization_used_without_log")).toHaveLength(alarms)
      await bench.chain.mine(1)
      clock.advance(SECOND)
    }
  })

  test("past the end of the authorization the outcome stays unknown without a log", async () => {
    const request = freshRequest()
    const header = await signedHeader(request)
    bench.proxy.fault("eth_sendRawTransaction", { reject: true })
    expect((await server.post(request, header)).status).toBe(202)
    await bench.chain.increaseTime(400)
    await bench.chain.mine(3)
    bench.proxy.fault("eth_call", SAYS_USED)
    await reconcileOnce(server.deps)
    expect((await theAttempt(server, request)).state).toBe("SETTLING")
    bench.proxy.reset()
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "FAILED", reason: "expired_unused", watched: 0 })
  })
})

test("a node that reports a paid authorization as unused past its end does not make it expire, because the log decides", async () => {
  const request = freshRequest()
  const header = await signedHeader(request)
  await bench.chain.setAutomine(false)
  expect((await server.post(request, header)).status).toBe(202)
  await bench.chain.mine(1)
  bench.proxy.fault("eth_getTransactionReceipt", { result: null })
  bench.proxy.fault("eth_call", { when: isStateCall, result: toHex(0, { size: 32 }) })
  await bench.chain.increaseTime(400)
  await bench.chain.mine(3)
  await reconcileOnce(server.deps)
  expect((await theAttempt(server, request)).state).toBe("SETTLING")
  bench.proxy.reset()
  await reconcileUntilQuiet(server)
  expect((await server.post(request, header)).status).toBe(200)
  expect(await bench.paid()).toBe(1)
})

describe("an attempt that failed while SETTLING", () => {
  async function cancelled() {
    const request = freshRequest()
    const header = await signedHeader(request)
    bench.proxy.fault("eth_sendRawTransaction", { reject: true })
    expect((await server.post(request, header)).status).toBe(202)
    const { nonce } = payloadOf(header).payload.authorization
    const data = await cancelCall(DEV_ACCOUNTS.payer, nonce as Hex)
    await bench.chain.send(DEV_ACCOUNTS.stranger, { to: USDC_ADDRESS, data })
    await bench.chain.mine(2)
    return { request, header }
  }

  test("is never sent again: a zero self-transfer with higher fees takes its nonce", async () => {
    const { request } = await cancelled()
    const { id } = await theAttempt(server, request)
    const payment = await newestOf(id)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "FAILED", reason: "cancelled" })
    bench.proxy.reset()
    await bench.chain.setAutomine(false)
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    const sent = bench.proxy.calls
      .filter(({ method }) => method === "eth_sendRawTransaction")
      .map(({ body }) => (JSON.parse(body) as { params: [Hex] }).params[0])
    expect(sent.length).toBeGreaterThan(0)
    expect(sent).not.toContain(payment.raw)
    const [before, fill] = [payment.raw, sent[0] as Hex].map((raw) => parseTransaction(raw))
    expect(fill).toMatchObject({ to: DEV_ACCOUNTS.relayer.address.toLowerCase(), nonce: payment.nonce })
    expect(fill?.data ?? "0x").toBe("0x")
    expect((fill?.maxFeePerGas ?? 0n) * 10n).toBeGreaterThanOrEqual((before?.maxFeePerGas ?? 0n) * 11n)
    expect((fill?.maxPriorityFeePerGas ?? 0n) * 10n).toBeGreaterThanOrEqual((before?.maxPriorityFeePerGas ?? 0n) * 11n)
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    const next = freshRequest()
    expect((await server.post(next, await signedHeader(next))).status).toBe(200)
  })

  test("stays watched until the time of a safe block passes validBefore", async () => {
    const { request } = await cancelled()
    await reconcileOnce(server.deps)
    bench.proxy.reset()
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "FAILED", watched: 1 })
    await bench.chain.increaseTime(400)
    await bench.chain.mine(3)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "FAILED", watched: 0 })
  })
})

describe("the relayer's transaction count", () => {
  test("that is too high for a while ends no nonce; only a receipt or a safe block does", async () => {
    const request = freshRequest()
    const header = await signedHeader(request)
    await bench.chain.setAutomine(false)
    expect((await server.post(request, header)).status).toBe(202)
    bench.proxy.fault("eth_getTransactionCount", { when: ([, tag]) => tag === "latest", result: toHex(50) })
    await reconcileOnce(server.deps)
    expect((await openWork(server)).nonces).toBe(1)
    bench.proxy.reset()
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    expect((await server.post(request, header)).status).toBe(200)
  })

  test("that is wrong once at a purchase leaves no gap: the lower nonces are filled and every order settles", async () => {
    const relayerCount = await bench.chain.countOf(DEV_ACCOUNTS.relayer.address)
    let wrong = 1
    bench.proxy.fault("eth_getTransactionCount", { when: () => wrong-- > 0, result: toHex(relayerCount + 4) })
    const first = freshRequest()
    const header = await signedHeader(first)
    expect((await server.post(first, header)).status).toBe(202)
    await reconcileUntilQuiet(server)
    expect((await server.post(first, header)).status).toBe(200)
    const next = freshRequest()
    expect((await server.post(next, await signedHeader(next))).status).toBe(200)
    expect(await bench.paid()).toBe(2)
    expect(events("relayer_nonce_gap")).toHaveLength(1)
  })

  test("grows by a transaction of the relayer's key made elsewhere; when that is dropped, its nonce is found and filled", async () => {
    const { relayer, stranger } = DEV_ACCOUNTS
    await bench.chain.setAutomine(false)
    const nonce = await bench.chain.countOf(relayer.address)
    const gas = { gasLimit: 30_000n, maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
    const foreign = await openRelayer(DEV_KEYS[1], 8453).sign({ to: stranger.address, data: "0x" }, nonce, gas)
    await bench.chain.sendUnmined(foreign.raw)
    const request = freshRequest()
    const header = await signedHeader(request)
    expect((await server.post(request, header)).status).toBe(202)
    await bench.chain.dropTransaction(foreign.hash)
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("grows by a foreign transaction that takes a nonce; the service notices it and pays under another nonce", async () => {
    const { relayer, stranger } = DEV_ACCOUNTS
    const warmUp = freshRequest()
    expect((await server.post(warmUp, await signedHeader(warmUp))).status).toBe(200)
    await bench.chain.mine(2)
    await reconcileUntilQuiet(server)
    bench.proxy.fault("eth_sendRawTransaction", { reject: true })
    const request = freshRequest()
    const header = await signedHeader(request)
    expect((await server.post(request, header)).status).toBe(202)
    // The node never saw this service's transaction, so the foreign one takes the same nonce.
    await bench.chain.send(relayer, { to: stranger.address, data: "0x" })
    await bench.chain.mine(3)
    bench.proxy.reset()
    await reconcileUntilQuiet(server)
    expect(events("relayer_nonce_used_elsewhere")).toHaveLength(1)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(2)
  })

  test("that is far above any known count and comes from one node only is not believed, and the order is refused uncharged", async () => {
    bench.proxy.fault("eth_getTransactionCount", { result: toHex(1_000_000) })
    const request = freshRequest()
    const header = await signedHeader(request)
    const answer = await server.post(request, header)
    expect(answer.status).toBe(503)
    bench.proxy.reset()
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })
})

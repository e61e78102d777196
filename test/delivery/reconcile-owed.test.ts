import { afterEach, beforeEach, describe, expect } from "bun:test"
import type { PaidProduct } from "../../src/delivery/sale.ts"
import { owedAttempts } from "../../src/store/payments/attempt-watch.ts"
import { signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, paymentHeader, quoteFor, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import {
  attemptsOf,
  type Bench,
  type ClockMachine,
  clockMachine,
  frontRun,
  openBench,
  payloadOf,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  settlementOf,
  theAttempt,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

const { payer } = DEV_ACCOUNTS

describe("an attempt that was released but then paid", () => {
  let bench: Bench
  let server: TestServer
  let clock: ClockMachine
  beforeEach(async () => {
    bench = await openBench()
    clock = clockMachine()
    server = await bench.server({ machine: clock })
  })
  afterEach(() => bench.close())

  async function givenUp() {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(request, header)).status).toBe(503)
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", watched: 1 })
    return { request, header }
  }

  test("becomes PAID_OWED and is delivered without a second payment", async () => {
    const { request, header } = await givenUp()
    const hash = await frontRun(bench.chain, header)
    await reconcileOnce(server.deps)
    expect((await theAttempt(server, request)).state).toBe("RELEASED")
    await bench.chain.mine(2)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "PAID_OWED", settledTx: hash })
    const waiting = await server.post(request)
    expect(waiting.status).toBe(202)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED", settledTx: hash, finality: "SAFE" })
    const answer = await server.post(request, header)
    expect(answer.status).toBe(200)
    expect(await bench.paid()).toBe(1)
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
  })

  test("gets 202 when it is presented again while no node answers, because the money may have moved, and is then delivered", async () => {
    const { request, header } = await givenUp()
    await frontRun(bench.chain, header)
    bench.proxy.fault("*", { reject: true })
    expect((await server.post(request, header)).status).toBe(202)
    bench.proxy.reset()
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("is delivered on that transfer when it is presented again before the watcher saw it", async () => {
    const { request, header } = await givenUp()
    const hash = await frontRun(bench.chain, header)
    const answer = await server.post(request, header)
    expect([answer.status, settlementOf(answer).transaction]).toEqual([200, hash])
    expect(await bench.paid()).toBe(1)
  })

  test("makes a new authorization for the same request get 202, and that authorization is neither stored nor sent", async () => {
    const { request, header } = await givenUp()
    const terms = await quoteFor(server, request)
    await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    await reconcileOnce(server.deps)
    const second = await signPayment(payer, terms, Math.floor(Date.now() / 1000))
    expect((await server.post(request, paymentHeader(second))).status).toBe(202)
    expect((await rowsOf(server, request)).attempts).toBe(1)
    expect(await bench.paid()).toBe(1)
  })

  test("that is found while another authorization is being verified stops the reservation of the second", async () => {
    const { request, header } = await givenUp()
    const terms = await quoteFor(server, request)
    await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    const second = await signPayment(payer, terms, Math.floor(Date.now() / 1000))
    const verified = Promise.withResolvers<void>()
    bench.proxy.reset()
    bench.proxy.fault("eth_getCode", { hold: verified.promise })
    const answering = server.post(request, paymentHeader(second))
    await bench.proxy.reached("eth_getCode")
    await reconcileOnce(server.deps)
    verified.resolve()
    expect((await theAttempt(server, request)).state).toBe("PAID_OWED")
    expect(await server.store.read(owedAttempts)).toMatchObject([{ isRefund: false }])
    expect((await answering).status).toBe(202)
    expect((await rowsOf(server, request)).attempts).toBe(1)
    bench.proxy.reset()
    await reconcileUntilQuiet(server)
    expect((await theAttempt(server, request)).state).toBe("SETTLED")
    expect(await bench.paid()).toBe(1)
  })

  test("is listed as owed and not delivered twice when another payment bought its request meanwhile", async () => {
    const { request, header } = await givenUp()
    expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
    await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    expect((await server.store.read(owedAttempts)).map(({ nonce }) => nonce as string)).toEqual([
      payloadOf(header).payload.authorization.nonce,
    ])
    expect(await rowsOf(server, request)).toMatchObject({ attempts: 2, delivered: 1 })
  })

  test("with a second one of the same request: each answer belongs to the payment that it names, and the other is listed", async () => {
    const { request, header } = await givenUp()
    const second = await signedHeader(server, request)
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(request, second)).status).toBe(503)
    for (const paid of [header, second]) await frontRun(bench.chain, paid)
    await bench.chain.mine(2)
    await reconcileOnce(server.deps)
    expect((await attemptsOf(server, request)).map(({ state }) => state)).toEqual(["PAID_OWED", "PAID_OWED"])
    // The process stops after it has stored the decision for one of them.
    const [product] = [...server.deps.products.values()]
    if (!product) throw new Error("no product")
    const { finish } = product
    const stopOnce: PaidProduct["finish"] = () => {
      Object.assign(product, { finish })
      throw new Error("stopped")
    }
    Object.assign(product, { finish: stopOnce })
    for (let round = 0; round < 4; round++) {
      await reconcileOnce(server.deps)
      clock.advance(60_000)
    }
    const settled = (await attemptsOf(server, request)).filter(({ state }) => state === "SETTLED")
    const deliveries = await server.database.rows<{ id: string; body: string }>(
      "SELECT purchase_id AS id, body FROM delivery WHERE body IS NOT NULL",
    )
    expect(deliveries.map(({ id }) => id)).toEqual(settled.map(({ id }) => id))
    expect(deliveries[0]?.body).toContain(settled[0]?.settledTx ?? "no transaction")
    const { requestId = "" } = settled[0] ?? {}
    expect(await server.store.read(owedAttempts)).toMatchObject([{ requestId, isRefund: true }])
  })

  test("gets 202 while it is too old to send but not yet proved unpaid, then 402 with a new quote", async () => {
    const { request, header } = await givenUp()
    await bench.chain.increaseTime(250)
    await bench.chain.mine(1)
    const unproved = await server.post(request, header)
    expect([unproved.status, unproved.headers.get("payment-required")]).toEqual([202, null])
    await bench.chain.increaseTime(150)
    await bench.chain.mine(3)
    await reconcileOnce(server.deps)
    const answer = await server.post(request, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, "invalid_exact_evm_payload_authorization_valid_before"])
    expect(await bench.paid()).toBe(0)
  })

  test("waits with a second one when their delegation has room for one: one is delivered, the other once there is room", async () => {
    const sold = [await givenUp(), await givenUp()]
    for (const { header } of sold) await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    await reconcileOnce(server.deps)
    const states = async () =>
      (await Promise.all(sold.map(({ request }) => theAttempt(server, request)))).map(({ state }) => state).toSorted()
    expect(await states()).toEqual(["PAID_OWED", "PAID_OWED"])
    const limitTo = (total: string) => server.database.write("UPDATE delegation SET max_total_amount = ?", total)
    await limitTo(sold[0]?.request.amount ?? "")
    for (let round = 0; round < 3; round++) {
      await reconcileOnce(server.deps)
      clock.advance(60_000)
    }
    expect(await states()).toEqual(["PAID_OWED", "SETTLED"])
    await limitTo("100000.00")
    for (let round = 0; round < 3; round++) {
      await reconcileOnce(server.deps)
      clock.advance(60_000)
    }
    expect(await states()).toEqual(["SETTLED", "SETTLED"])
    expect(await bench.paid()).toBe(2)
  })

  /** A caller that waits for an attempt of another process. `move` changes the state that this process left. */
  async function waiting() {
    const { request, header } = await givenUp()
    const move = (state: string, owner: string | null) =>
      server.database.write(
        "UPDATE payment_attempt SET state = ?, reason = 'worker_gone', lease_owner = ?, lease_until = ?",
        state,
        owner,
        owner && "2099-01-01T00:00:00.000Z",
      )
    await move("VERIFIED", "another process")
    const sleeping = clock.nextSleep()
    const response = server.post(request, header)
    await sleeping
    return { header, move, response }
  }

  test("gives a waiting caller 202 when it is released while the chain reports it as used", async () => {
    const { header, move, response } = await waiting()
    await frontRun(bench.chain, header)
    await move("RELEASED", null)
    expect((await response).status).toBe(202)
  })

  test("gives a waiting caller 503 when it is released and the chain reports it as unused", async () => {
    const { move, response } = await waiting()
    await move("RELEASED", null)
    expect((await response).status).toBe(503)
  })

  test("gives a caller that queries the chain 202, not an unsent attempt, when an equal call resumes it meanwhile", async () => {
    const { move, response } = await waiting()
    bench.proxy.fault("eth_call", {
      when: async () => {
        await move("VERIFIED", "an equal call")
        clock.advance(10_000)
        return false
      },
    })
    await move("RELEASED", null)
    expect((await response).status).toBe(202)
  })

  test("is no longer watched once it can never be paid", async () => {
    const { request } = await givenUp()
    await bench.chain.increaseTime(400)
    await bench.chain.mine(3)
    await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", watched: 0 })
    expect(await bench.paid()).toBe(0)
  })
})

import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { owedAttempts } from "../../src/store/payments/attempt-watch.ts"
import { signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { freshRequest, type House, paymentHeader, quoteFor, signedHeader } from "../fixtures/selling-house.ts"
import {
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

const { payer } = DEV_ACCOUNTS

describe("an attempt given up and paid all the same", () => {
  let bench: Bench
  let house: House
  let clock: ClockMachine
  beforeEach(async () => {
    bench = await openBench()
    clock = clockMachine()
    house = await bench.house({ machine: clock })
  })
  afterEach(() => bench.close())

  async function givenUp() {
    const request = freshRequest()
    const header = await signedHeader(house, request)
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await house.post(request, header)).status).toBe(503)
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    expect(theAttempt(house, request)).toMatchObject({ state: "RELEASED", watched: 1 })
    return { request, header }
  }

  test("becomes PAID_OWED and is delivered without a second payment", async () => {
    const { request, header } = await givenUp()
    const hash = await frontRun(bench.chain, header)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request).state).toBe("RELEASED")
    await bench.chain.mine(2)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request)).toMatchObject({ state: "PAID_OWED", settledTx: hash })
    const waiting = await house.post(request)
    expect(waiting.status).toBe(202)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request)).toMatchObject({ state: "SETTLED", settledTx: hash, finality: "SAFE" })
    const answer = await house.post(request, header)
    expect(answer.status).toBe(200)
    expect(await bench.paid()).toBe(1)
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
  })

  test("presented again while no node answers: 202, because its money may have moved, then delivered", async () => {
    const { request, header } = await givenUp()
    await frontRun(bench.chain, header)
    bench.proxy.fault("*", { refuse: true })
    expect((await house.post(request, header)).status).toBe(202)
    bench.proxy.reset()
    expect((await house.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("presented again before the watch saw it: delivered on that transfer", async () => {
    const { request, header } = await givenUp()
    const hash = await frontRun(bench.chain, header)
    const answer = await house.post(request, header)
    expect([answer.status, settlementOf(answer).transaction]).toEqual([200, hash])
    expect(await bench.paid()).toBe(1)
  })

  test("a new authorization for what is owed is 202, and is neither stored nor sent", async () => {
    const { request, header } = await givenUp()
    const terms = await quoteFor(house, request)
    await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    await reconcileOnce(house.deps)
    const second = await signPayment(payer, terms, Math.floor(Date.now() / 1000))
    expect((await house.post(request, paymentHeader(second))).status).toBe(202)
    expect(rowsOf(house, request).attempts).toBe(1)
    expect(await bench.paid()).toBe(1)
  })

  test("found while another authorization is being verified: the second is not reserved", async () => {
    const { request, header } = await givenUp()
    const terms = await quoteFor(house, request)
    await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    const second = await signPayment(payer, terms, Math.floor(Date.now() / 1000))
    const verified = Promise.withResolvers<void>()
    bench.proxy.reset()
    bench.proxy.fault("eth_getCode", { hold: verified.promise })
    const answering = house.post(request, paymentHeader(second))
    await bench.proxy.reached("eth_getCode")
    await reconcileOnce(house.deps)
    verified.resolve()
    expect(theAttempt(house, request).state).toBe("PAID_OWED")
    expect((await answering).status).toBe(202)
    expect(rowsOf(house, request).attempts).toBe(1)
    bench.proxy.reset()
    await reconcileUntilQuiet(house)
    expect(theAttempt(house, request).state).toBe("SETTLED")
    expect(await bench.paid()).toBe(1)
  })

  test("when its request was bought by another payment meanwhile, it is listed as owed and not delivered twice", async () => {
    const { request, header } = await givenUp()
    expect((await house.post(request, await signedHeader(house, request))).status).toBe(200)
    await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    for (let round = 0; round < 3; round++) await reconcileOnce(house.deps)
    expect((await house.store.read(owedAttempts)).map(({ nonce }) => nonce as string)).toEqual([
      payloadOf(header).payload.authorization.nonce,
    ])
    expect(rowsOf(house, request)).toMatchObject({ attempts: 2, delivered: 1 })
  })

  test("is 202 while it is too old to send and not yet proved unpaid, then 402 with a new quote", async () => {
    const { request, header } = await givenUp()
    clock.advance(250_000)
    const unproved = await house.post(request, header)
    expect([unproved.status, unproved.headers.get("payment-required")]).toEqual([202, null])
    await bench.chain.increaseTime(400)
    await bench.chain.mine(3)
    await reconcileOnce(house.deps)
    const answer = await house.post(request, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, "invalid_exact_evm_payload_authorization_valid_before"])
    expect(await bench.paid()).toBe(0)
  })

  test("two of one delegation that has room for one: one is delivered, the other once there is room", async () => {
    const sold = [await givenUp(), await givenUp()]
    for (const { header } of sold) await frontRun(bench.chain, header)
    await bench.chain.mine(2)
    await reconcileOnce(house.deps)
    const states = () => sold.map(({ request }) => theAttempt(house, request).state as string).toSorted()
    expect(states()).toEqual(["PAID_OWED", "PAID_OWED"])
    const limitTo = (total: string) => house.database.run("UPDATE delegation SET max_total_amount = ?", [total])
    limitTo(sold[0]?.request.amount ?? "")
    for (let round = 0; round < 3; round++) {
      await reconcileOnce(house.deps)
      clock.advance(60_000)
    }
    expect(states()).toEqual(["PAID_OWED", "SETTLED"])
    limitTo("100000.00")
    for (let round = 0; round < 3; round++) {
      await reconcileOnce(house.deps)
      clock.advance(60_000)
    }
    expect(states()).toEqual(["SETTLED", "SETTLED"])
    expect(await bench.paid()).toBe(2)
  })

  test("a caller who waits for it while it is given up hears 202 where the chain says that it is used", async () => {
    const { request, header } = await givenUp()
    await frontRun(bench.chain, header)
    const move = (state: string, owner: string | null) =>
      house.database.run(
        "UPDATE payment_attempt SET state = ?, reason = 'worker_gone', lease_owner = ?, lease_until = ?",
        [state, owner, owner && "2099-01-01T00:00:00.000Z"],
      )
    move("VERIFIED", "a process that died")
    const sleeping = clock.nextSleep()
    const waiting = house.post(request, header)
    await sleeping
    move("RELEASED", null)
    expect((await waiting).status).toBe(202)
  })

  test("that can never be paid any more is no longer watched", async () => {
    const { request } = await givenUp()
    await bench.chain.increaseTime(400)
    await bench.chain.mine(3)
    await reconcileOnce(house.deps)
    expect(theAttempt(house, request)).toMatchObject({ state: "RELEASED", watched: 0 })
    expect(await bench.paid()).toBe(0)
  })
})

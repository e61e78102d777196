/**
 * An attempt that ended unpaid, and whose authorization the chain shows as used: its payer may have paid. While that is so, no other payment is
 * taken for the request.
 */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import type { Hex } from "viem"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { MINUTE, SECOND } from "../../src/core/time.ts"
import { resumeAbandoned, watchOutcomes } from "../../src/delivery/reconcile.ts"
import { owedAttempts } from "../../src/store/payments/attempt-watch.ts"
import { buyAnswer, signedFor } from "../fixtures/answers.ts"
import { cancelCall } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { PRODUCT_ROWS, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { heldView, newestBlock, showAsNewest } from "./node-views.ts"
import {
  attemptsOf,
  type Bench,
  type ClockMachine,
  clockMachine,
  failOnce,
  frontRun,
  openBench,
  payloadOf,
  problemOf,
  rowsOf,
  theAttempt,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

let bench: Bench
let clock: ClockMachine
let server: TestServer
beforeEach(async () => {
  bench = await openBench({ slotsInAnEpoch: 4 })
  clock = clockMachine()
  server = await bench.server({ machine: clock })
})
afterEach(() => bench.close())

type Header = Record<string, string>

const DECISION = PRODUCT_ROWS.find(({ recovery }) => recovery !== null) as ProductRow

/** A request with its payment, and another payment for it that is not presented yet. */
async function twicePaid() {
  const request = freshRequest()
  return { request, header: await signedHeader(server, request), second: await signedHeader(server, request) }
}

/** `use` brings the payment to the chain before it is presented. Then the decision cannot be computed. */
async function usedFirst(use = (header: Header): Promise<unknown> => frontRun(bench.chain, header)) {
  const sale = await twicePaid()
  await use(sale.header)
  failOnce(server, DECISION.id)
  expect((await server.post(sale.request, sale.header)).status).toBe(202)
  expect(await theAttempt(server, sale.request)).toMatchObject({
    state: "RELEASED",
    reason: "authorization_already_used",
  })
  return sale
}

/** The relayer has no ether, so the attempt is released before anything is sent. */
async function releasedFirst() {
  const sale = await twicePaid()
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await server.post(sale.request, sale.header)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  return sale
}

/** The settlement would burn too much gas, so the attempt fails before anything is sent. */
async function refusedFirst() {
  const burner = await bench.chain.deployGasBurner(400_000n)
  await bench.chain.mint(burner, 10_000_000n)
  const request = freshRequest({ request: { decision_fee_payer: burner } })
  const header = await signedHeader(server, request, { from: burner })
  const second = await signedHeader(server, request, { from: burner })
  expect((await server.post(request, header)).status).toBe(402)
  expect(await theAttempt(server, request)).toMatchObject({ state: "FAILED", watched: 1 })
  return { request, header, second }
}

/** The process dies once it has reserved the payment. */
async function dieReserved({ request, header }: { request: DecisionRequest; header: Header }): Promise<void> {
  const dying = await bench.server({
    leaseSeconds: 1,
    trace: (step) => (step === "reserved" ? Promise.reject(new Error("killed")) : undefined),
  })
  expect((await dying.post(request, header)).status).toBe(500)
}

async function releaseAbandoned({ request }: { request: DecisionRequest }): Promise<void> {
  clock.advance(10 * SECOND)
  await resumeAbandoned(server.deps)
  expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", reason: "worker_gone" })
}

async function cancel(header: Header): Promise<void> {
  const { nonce } = payloadOf(header).payload.authorization
  const data = await cancelCall(DEV_ACCOUNTS.payer, nonce as Hex)
  await bench.chain.send(DEV_ACCOUNTS.stranger, { to: USDC_ADDRESS, data })
}

/** A round of the loops once every watched attempt is due. */
async function round(): Promise<void> {
  clock.advance(MINUTE)
  await reconcileOnce(server.deps)
}

/** What a caller without a payment hears, and one with a new payment. */
async function heard({ request, second }: { request: DecisionRequest; second: Header }) {
  return [(await server.post(request)).status, (await server.post(request, second)).status]
}

async function expectOnlyFirst(sale: { request: DecisionRequest; second: Header }): Promise<void> {
  expect(await heard(sale)).toEqual([202, 202])
  expect(await attemptsOf(server, sale.request)).toHaveLength(1)
}

describe("when its authorization was used before it was presented", () => {
  test("no other payment is taken, and its own header gets the answer", async () => {
    const sale = await usedFirst()
    await expectOnlyFirst(sale)
    expect((await server.post(sale.request, sale.header)).status).toBe(200)
    expect((await problemOf(await server.post(sale.request))).code).toBe("ALREADY_ACQUIRED")
    expect((await server.post(sale.request, sale.second)).status).toBe(200)
    expect([await bench.paid(), (await rowsOf(server, sale.request)).attempts]).toEqual([1, 1])
  })

  test("no other payment is taken, and the answer is delivered without another call", async () => {
    const sale = await usedFirst()
    await round()
    await expectOnlyFirst(sale)
    await bench.chain.mine(9)
    await round()
    expect((await theAttempt(server, sale.request)).state).toBe("PAID_OWED")
    await expectOnlyFirst(sale)
    await round()
    expect(await theAttempt(server, sale.request)).toMatchObject({ state: "SETTLED", finality: "SAFE" })
    expect((await problemOf(await server.post(sale.request))).code).toBe("ALREADY_ACQUIRED")
    expect((await server.post(sale.request, sale.second)).status).toBe(200)
    expect(await server.store.read(owedAttempts)).toEqual([])
    expect(await bench.paid()).toBe(1)
  })

  test("no other payment is taken when a bug ended the attempt", async () => {
    const sale = await twicePaid()
    await frontRun(bench.chain, sale.header)
    failOnce(server, DECISION.id, new Error("a bug"))
    expect((await server.post(sale.request, sale.header)).status).toBe(500)
    await expectOnlyFirst(sale)
  })

  test("no other payment is taken after the process died, and another one released the attempt", async () => {
    const sale = await twicePaid()
    await frontRun(bench.chain, sale.header)
    await dieReserved(sale)
    await expectOnlyFirst(sale)
    await releaseAbandoned(sale)
    await expectOnlyFirst(sale)
  })

  test("a transfer that a reorganization takes back lets the payer pay anew", async () => {
    const sale = await usedFirst()
    await bench.chain.reorganize(1)
    await bench.chain.mine(1)
    await round()
    expect(await heard(sale)).toEqual([402, 200])
    expect(await bench.paid()).toBe(1)
  })

  test("a transfer that is in another block after a reorganization still lets nobody pay anew", async () => {
    const sale = await usedFirst()
    await bench.chain.reorganize(1)
    await round()
    await frontRun(bench.chain, sale.header)
    await round()
    await expectOnlyFirst(sale)
  })

  test("an authorization that its payer cancelled keeps the request until a safe block shows it", async () => {
    const sale = await usedFirst(cancel)
    await round()
    await expectOnlyFirst(sale)
    await bench.chain.mine(9)
    await round()
    expect(await theAttempt(server, sale.request)).toMatchObject({ state: "RELEASED", watched: 1 })
    expect(await heard(sale)).toEqual([402, 200])
  })

  test("the end of the watch lets the payer pay anew", async () => {
    const sale = await usedFirst(cancel)
    await bench.chain.increaseTime(400)
    await bench.chain.mine(9)
    await round()
    expect(await theAttempt(server, sale.request)).toMatchObject({ state: "RELEASED", watched: 0 })
    expect((await server.post(sale.request)).status).toBe(402)
  })

  test("no node that answers changes nothing", async () => {
    const sale = await usedFirst()
    bench.proxy.fault("*", { reject: true })
    await round()
    bench.proxy.reset()
    await expectOnlyFirst(sale)
  })

  test("a second one of the same request is not computed beside it, and only one is delivered", async () => {
    const sale = await releasedFirst()
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(sale.request, sale.second)).status).toBe(503)
    for (const paid of [sale.header, sale.second]) await frontRun(bench.chain, paid)
    await round()
    for (const paid of [sale.header, sale.second]) expect((await server.post(sale.request, paid)).status).toBe(202)
    await bench.chain.mine(9)
    for (let n = 0; n < 3; n++) await round()
    expect((await attemptsOf(server, sale.request)).map(({ state }) => state).toSorted()).toEqual([
      "PAID_OWED",
      "SETTLED",
    ])
    expect(await server.store.read(owedAttempts)).toMatchObject([{ isRefund: true }])
  })
})

describe("when a stranger uses its authorization after the release", () => {
  test("another payment is taken while the chain shows none", async () => {
    const sale = await releasedFirst()
    await round()
    expect(await heard(sale)).toEqual([402, 200])
    expect(await bench.paid()).toBe(1)
  })

  test("no other payment is taken once the watch has seen the transfer, before its block is safe", async () => {
    const sale = await releasedFirst()
    await frontRun(bench.chain, sale.header)
    await round()
    expect((await theAttempt(server, sale.request)).state).toBe("RELEASED")
    await expectOnlyFirst(sale)
    expect((await server.post(sale.request, sale.header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("no other payment is taken after it was presented again and the process died", async () => {
    const sale = await releasedFirst()
    await frontRun(bench.chain, sale.header)
    await round()
    await expectOnlyFirst(sale)
    await dieReserved(sale)
    await releaseAbandoned(sale)
    await expectOnlyFirst(sale)
  })

  test("no other payment is taken that was verified before the watch saw the transfer", async () => {
    const sale = await releasedFirst()
    await frontRun(bench.chain, sale.header)
    const verified = Promise.withResolvers<void>()
    bench.proxy.reset()
    bench.proxy.fault("eth_getCode", { hold: verified.promise })
    const answering = server.post(sale.request, sale.second)
    await bench.proxy.reached("eth_getCode")
    await round()
    verified.resolve()
    expect((await answering).status).toBe(202)
    expect((await rowsOf(server, sale.request)).attempts).toBe(1)
  })

  test("a transfer that is seen after another payment acquired the request changes nothing for it", async () => {
    const sale = await releasedFirst()
    expect((await server.post(sale.request, sale.second)).status).toBe(200)
    await frontRun(bench.chain, sale.header)
    await round()
    expect((await problemOf(await server.post(sale.request))).code).toBe("ALREADY_ACQUIRED")
    expect((await server.post(sale.request, sale.second)).status).toBe(200)
    expect((await server.post(sale.request, sale.header)).status).toBe(202)
  })

  test("no other payment is taken once a call about a refused payment heard of it", async () => {
    const sale = await refusedFirst()
    await frontRun(bench.chain, sale.header)
    expect((await server.post(sale.request, sale.header)).status).toBe(202)
    await expectOnlyFirst(sale)
    await bench.chain.mine(9)
    for (let n = 0; n < 2; n++) await round()
    expect((await theAttempt(server, sale.request)).state).toBe("SETTLED")
    expect(await bench.paid()).toBe(1)
  })
})

describe("an older view of the chain takes back no use that a newer block showed", () => {
  test("when a poll reads a node that is behind", async () => {
    const older = await newestBlock(server.deps)
    const sale = await usedFirst()
    showAsNewest(bench.proxy, older)
    await round()
    bench.proxy.reset()
    await expectOnlyFirst(sale)
  })

  test("when a poll reads a node that is behind, after a call about a refused payment", async () => {
    const sale = await refusedFirst()
    const older = await newestBlock(server.deps)
    await frontRun(bench.chain, sale.header)
    expect((await server.post(sale.request, sale.header)).status).toBe(202)
    showAsNewest(bench.proxy, older)
    await round()
    expect((await server.post(sale.request, sale.header)).status).toBe(202)
    bench.proxy.reset()
    await expectOnlyFirst(sale)
  })

  test("when a process that is behind releases what another one left", async () => {
    const older = await newestBlock(server.deps)
    const sale = await usedFirst()
    await dieReserved(sale)
    showAsNewest(bench.proxy, older)
    await releaseAbandoned(sale)
    bench.proxy.reset()
    await expectOnlyFirst(sale)
  })

  test("when a poll ends after a call that saw a newer block", async () => {
    const sale = await refusedFirst()
    await frontRun(bench.chain, sale.header)
    expect((await server.post(sale.request, sale.header)).status).toBe(202)
    await bench.chain.reorganize(1)
    await bench.chain.mine(1)
    clock.advance(MINUTE)
    const { deps, hasSeen, goOn } = heldView(server.deps)
    const polled = watchOutcomes(deps)
    await hasSeen
    await frontRun(bench.chain, sale.header)
    expect((await server.post(sale.request, sale.header)).status).toBe(202)
    goOn()
    await polled
    await expectOnlyFirst(sale)
  })

  test("when a poll saw the use in a newer block since", async () => {
    const sale = await usedFirst()
    await bench.chain.reorganize(1)
    await bench.chain.mine(1)
    const older = await newestBlock(server.deps)
    await frontRun(bench.chain, sale.header)
    await round()
    showAsNewest(bench.proxy, older)
    await round()
    bench.proxy.reset()
    await expectOnlyFirst(sale)
  })
})

test("a payer whose products need no signed request gets quotes, but no second payment is taken; another payer buys", async () => {
  await prepareProducts(server)
  const row = PRODUCT_ROWS.find(({ id }) => id === "us.company.check.v1") as ProductRow
  const purchase = purchaseOf(row, row.body())
  const { payer, secondPayer } = DEV_ACCOUNTS
  const [header, second] = [await signedFor(server, purchase, payer), await signedFor(server, purchase, payer)]
  const other = await signedFor(server, purchase, secondPayer)
  const present = (payment: Header) => server.post(purchase.body, { ...purchase.headers, ...payment }, purchase.path)
  await frontRun(bench.chain, header)
  failOnce(server, row.id)
  expect((await present(header)).status).toBe(202)
  expect((await present({})).status).toBe(402)
  expect((await present(second)).status).toBe(202)
  expect((await buyAnswer(server, purchase, other)).status).toBe(200)
  expect((await present(header)).status).toBe(200)
  expect((await present(second)).status).toBe(200)
  expect(await bench.paid()).toBe(2)
})

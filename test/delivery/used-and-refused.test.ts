/**
 * A payment whose authorization the chain shows as used at its first presentation, and that gets no work then: its request is refused for the
 * moment, or another purchase has it. Its payer hears 202, so it is stored, and no other payment is taken for the request.
 */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { MINUTE } from "../../src/core/time.ts"
import { owedAttempts } from "../../src/store/payments/attempt-watch.ts"
import { type Purchase, signedFor } from "../fixtures/answers.ts"
import { PRODUCT_ROWS, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storeWith } from "../fixtures/store-with.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import {
  attemptsOf,
  type Bench,
  type ClockMachine,
  clockMachine,
  frontRun,
  type HeldCompute,
  holdCompute,
  openBench,
  postContended,
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

interface TwicePaid {
  readonly request: DecisionRequest
  /** A stranger brought it to the chain before it is presented. */
  readonly used: Header
  readonly second: Header
}

async function twicePaid(): Promise<TwicePaid> {
  const request = freshRequest()
  const sale = { request, used: await signedHeader(server, request), second: await signedHeader(server, request) }
  await frontRun(bench.chain, sale.used)
  return sale
}

/** Its process dies once the unit that stores the payment is durable. */
function dyingServer(): Promise<TestServer> {
  return bench.server({
    machine: clock,
    inPlaceOf: (own) =>
      storeWith(own, {
        runInPlace: async (unit, hint) => {
          await own.runInPlace(unit, hint)
          throw new Error("killed")
        },
      }),
  })
}

async function refusedFirst(): Promise<TwicePaid> {
  const sale = await twicePaid()
  expect((await postContended(server, sale.request, sale.used)).status).toBe(202)
  return sale
}

/** The used payment is presented while the second one is under way. Returns the answer to the second one, which `end` ends. */
async function besideSecond(
  { request, used, second }: TwicePaid,
  end: (held: HeldCompute) => void,
  present = async () => expect((await server.post(request, used)).status).toBe(202),
): Promise<Response> {
  const held = holdCompute(server, PAYMENT_DECISION_PRODUCT)
  const answering = server.post(request, second)
  await held.begun
  await present()
  end(held)
  return answering
}

/** A round of the loops once every watched attempt is due. */
async function round(): Promise<void> {
  clock.advance(MINUTE)
  await reconcileOnce(server.deps)
}

/** A caller without a payment, and one with a new payment, hear that one is under way. */
async function expectOnlyUsed({ request, second }: TwicePaid): Promise<void> {
  expect([(await server.post(request)).status, (await server.post(request, second)).status]).toEqual([202, 202])
  expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", watched: 1 })
}

describe("a request that is refused for the moment", () => {
  test("takes no other payment, and the used one gets the answer", async () => {
    const sale = await refusedFirst()
    await expectOnlyUsed(sale)
    expect((await rowsOf(server, sale.request)).holds).toBe(0)
    expect((await server.post(sale.request, sale.used)).status).toBe(200)
    expect((await problemOf(await server.post(sale.request))).code).toBe("ALREADY_ACQUIRED")
    expect([await bench.paid(), (await rowsOf(server, sale.request)).attempts]).toEqual([1, 1])
  })

  test("takes no other payment, and the answer is delivered without another call", async () => {
    const sale = await refusedFirst()
    await round()
    await expectOnlyUsed(sale)
    await bench.chain.mine(9)
    for (let n = 0; n < 2; n++) await round()
    expect(await theAttempt(server, sale.request)).toMatchObject({ state: "SETTLED", finality: "SAFE" })
    expect(await server.store.read(owedAttempts)).toEqual([])
    expect(await bench.paid()).toBe(1)
  })

  test("gives no new quote for the used payment after the window of its authorization", async () => {
    const sale = await refusedFirst()
    await bench.chain.increaseTime(400)
    await bench.chain.mine(1)
    expect((await server.post(sale.request, sale.used)).status).toBe(202)
    clock.advance(70 * MINUTE)
    expect((await server.post(sale.request, sale.used)).status).toBe(202)
  })

  test("takes another payment once a reorganization has taken the transfer back", async () => {
    const sale = await refusedFirst()
    await bench.chain.reorganize(1)
    await bench.chain.mine(1)
    await round()
    expect((await server.post(sale.request, sale.second)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("keeps one row for two equal calls", async () => {
    const sale = await refusedFirst()
    expect((await postContended(server, sale.request, sale.used)).status).toBe(202)
    await expectOnlyUsed(sale)
  })

  test("takes no other payment after the process died once the used one was stored", async () => {
    const sale = await twicePaid()
    const dying = await dyingServer()
    expect((await postContended(dying, sale.request, sale.used)).status).toBe(500)
    await expectOnlyUsed(sale)
    expect((await server.post(sale.request, sale.used)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })
})

test("a request whose obligation another request of the payer holds takes no other payment, and the used one gets the answer", async () => {
  await prepareProducts(server)
  const row = PRODUCT_ROWS.find(({ id }) => id === PAYMENT_AUTHORIZATION_PRODUCT) as ProductRow
  const bodies = row.contended["one obligation"]?.bodies(2) ?? []
  const [holder, held] = bodies.map((body) => purchaseOf(row, body)) as [Purchase, Purchase]
  const present = ({ path, body, headers }: Purchase, payment: Header) =>
    server.post(body, { ...headers, ...payment }, path)
  const [used, second] = [await signedFor(server, held), await signedFor(server, held)]
  await frontRun(bench.chain, used)
  const holding = holdCompute(server, row.id)
  const answering = present(holder, await signedFor(server, holder))
  await holding.begun
  expect((await present(held, used)).status).toBe(202)
  holding.fail(new ServiceError("SOURCE_UNAVAILABLE", "away"))
  expect((await problemOf(await answering)).code).toBe("SOURCE_UNAVAILABLE")
  expect((await present(held, second)).status).toBe(202)
  expect((await present(held, used)).status).toBe(200)
  expect((await present(held, second)).status).toBe(200)
  expect(await bench.paid()).toBe(1)
})

describe("a request that another payment has", () => {
  test("keeps the used payment, which claims it once the other one is released", async () => {
    const sale = await twicePaid()
    const answer = await besideSecond(sale, ({ fail }) => fail(new ServiceError("SOURCE_UNAVAILABLE", "away")))
    expect((await problemOf(answer)).code).toBe("SOURCE_UNAVAILABLE")
    expect((await server.post(sale.request, sale.second)).status).toBe(202)
    expect((await server.post(sale.request, sale.used)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("keeps the used payment though the process dies once it is stored", async () => {
    const sale = await twicePaid()
    const dying = await dyingServer()
    await besideSecond(
      sale,
      ({ fail }) => fail(new ServiceError("SOURCE_UNAVAILABLE", "away")),
      async () => expect((await dying.post(sale.request, sale.used)).status).toBe(500),
    )
    expect((await server.post(sale.request, sale.second)).status).toBe(202)
    expect((await server.post(sale.request, sale.used)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("keeps the used payment as one to refund once the other one has the answer", async () => {
    const sale = await twicePaid()
    expect((await besideSecond(sale, ({ release }) => release())).status).toBe(200)
    expect((await server.post(sale.request, sale.used)).status).toBe(202)
    await bench.chain.mine(9)
    for (let n = 0; n < 2; n++) await round()
    expect((await attemptsOf(server, sale.request)).map(({ state }) => state).toSorted()).toEqual([
      "PAID_OWED",
      "SETTLED",
    ])
    expect(await server.store.read(owedAttempts)).toMatchObject([{ isRefund: true }])
    expect((await server.post(sale.request, sale.second)).status).toBe(200)
    expect(await bench.paid()).toBe(2)
  })
})

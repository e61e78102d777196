/** The free replacement of a late decision, and another call that has the same request meanwhile. */
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { MINUTE } from "../../src/core/time.ts"
import { owedAttempts } from "../../src/store/payments/attempt-watch.ts"
import { openPurchase } from "../../src/store/sales/purchase-moves.ts"
import { signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storeWith } from "../fixtures/store-with.ts"
import { decodeHeader, freshRequest, paymentHeader } from "../fixtures/test-server.ts"
import { again, lateDecision } from "./late-decision.ts"
import {
  attemptsOf,
  type Bench,
  clockMachine,
  frontRun,
  holdCompute,
  openBench,
  postContended,
  settlementOf,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
beforeEach(async () => {
  bench = await openBench()
})
afterEach(() => bench.close())

/** Two servers, and a request that may replace a late decision or be paid. */
async function replaceable() {
  const clock = clockMachine()
  const free = await bench.server({ machine: clock, settleWaitMs: 100 })
  const paid = await bench.server({ machine: clock })
  const late = await lateDecision(bench, free, clock)
  clock.advance(5 * MINUTE)
  const request = again(late, clock)
  // A buyer who presents the earlier payment gets a quote for the new request.
  const quoted = await free.post(request, late.header)
  expect(quoted.status).toBe(402)
  const { accepts } = decodeHeader<{ accepts: Parameters<typeof signPayment>[1][] }>(
    quoted.headers.get("payment-required"),
  )
  const [terms] = accepts
  if (!terms) throw new Error("a quote without terms")
  const payment = paymentHeader(await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(Date.now() / 1000)))
  const before = await bench.paid()
  const stored = () =>
    bench.database.row<{ id: string; state: string }>(
      "SELECT id, state FROM decision_request WHERE idempotency_key = ?1",
      request.idempotency_key,
    )
  return {
    clock,
    free,
    paid,
    request,
    payment,
    stored,
    holds: async () => bench.database.count("authority_hold", "request_id = ?1", (await stored())?.id ?? ""),
    /** The attempts of the request, its own state, and how many transfers paid for it. */
    outcome: async () => {
      const attempts = (await attemptsOf(free, request)).map(({ state }) => state)
      return { attempts, request: (await stored())?.state, paid: (await bench.paid()) - before }
    },
  }
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]

/** A replacement that computes. */
async function replacing() {
  const at = await replaceable()
  const held = holdCompute(at.free, PAYMENT_DECISION_PRODUCT)
  const free = at.free.post(at.request)
  await held.begun
  return { ...at, held, replacement: free }
}

describe("while a payment for the request of a replacement runs", () => {
  /** A replacement that computes, and a payment that is about to be sent. */
  async function settling() {
    const at = await replacing()
    const sent = Promise.withResolvers<void>()
    bench.proxy.reset()
    bench.proxy.fault("eth_sendRawTransaction", { hold: sent.promise })
    const reached = bench.proxy.reached("eth_sendRawTransaction")
    const paying = at.paid.post(at.request, at.payment)
    await reached
    expect((await at.outcome()).attempts).toEqual(["SETTLING"])
    return { ...at, paying, send: sent.resolve }
  }

  /** A replacement that computes, and a payment that is reserved and decides. */
  async function reserved() {
    const at = await replacing()
    const deciding = holdCompute(at.paid, PAYMENT_DECISION_PRODUCT)
    const paying = at.paid.post(at.request, at.payment)
    await deciding.begun
    return { at, replacing: at.held, free: at.replacement, deciding, paying }
  }

  test("the replacement is not delivered, and the payment gets its answer", async () => {
    const at = await settling()
    at.held.release()
    expect((await at.replacement).status).toBe(202)
    at.send()
    expect((await at.paying).status).toBe(200)
    expect(await at.outcome()).toEqual({ attempts: ["SETTLED"], request: "DELIVERED", paid: 1 })
    // The replacement remains for another request.
    expect(await codeOf(await at.free.post(at.request))).toEqual([409, "ALREADY_ACQUIRED"])
  })

  test("a replacement that fails leaves the payment its holds", async () => {
    const at = await settling()
    const had = await at.holds()
    expect(had).toBeGreaterThan(0)
    at.held.fail()
    expect((await at.replacement).status).toBe(500)
    expect(await at.holds()).toBe(had)
    const { mandate_id, nonce } = at.request.buyer_mandate.payload
    const other = freshRequest({ at: at.clock.now(), mandate: { mandate_id, nonce } })
    expect(await codeOf(await at.free.post(other))).toEqual([409, "DECISION_IN_PROGRESS"])
    at.send()
    expect((await at.paying).status).toBe(200)
  })

  test("and is only reserved, the replacement is not delivered", async () => {
    const { at, replacing, free, deciding, paying } = await reserved()
    replacing.release()
    expect((await free).status).toBe(202)
    deciding.release()
    expect((await paying).status).toBe(200)
    expect(await at.outcome()).toEqual({ attempts: ["SETTLED"], request: "DELIVERED", paid: 1 })
  })

  test("and ends unpaid, the replacement is not delivered without its holds and is free for the next call", async () => {
    const { at, replacing, free, deciding, paying } = await reserved()
    deciding.fail()
    expect((await paying).status).toBe(500)
    replacing.release()
    expect(await codeOf(await free)).toEqual([409, "DECISION_IN_PROGRESS"])
    expect([await at.holds(), await at.outcome()]).toEqual([0, { attempts: ["RELEASED"], request: "NEW", paid: 0 }])
    expect((await at.free.post(at.request)).status).toBe(200)
    expect((await at.outcome()).paid).toBe(0)
  })
})

test("a payment that is about to be reserved when the replacement is delivered is not taken", async () => {
  const at = await replaceable()
  let isBetween = true
  const slow = await bench.server({
    machine: at.clock,
    inPlaceOf: (own) =>
      storeWith(own, {
        runInPlace: async (unit, order) => {
          if (isBetween) {
            isBetween = false
            expect((await at.free.post(at.request)).status).toBe(200)
          }
          return own.runInPlace(unit, order)
        },
      }),
  })
  expect((await slow.post(at.request, at.payment)).status).toBe(202)
  expect(isBetween).toBe(false)
  at.clock.advance(5 * MINUTE)
  await reconcileOnce(slow.deps)
  expect(await at.outcome()).toEqual({ attempts: [], request: "DELIVERED", paid: 0 })
  // Its payer paid for the late decision, so the payment gets the replacement and is not used.
  expect((await slow.post(at.request, at.payment)).status).toBe(200)
  expect((await at.outcome()).paid).toBe(0)
})

test("a payment that was given up before the replacement, and reaches the chain after it, is listed for a refund", async () => {
  const at = await replaceable()
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await at.paid.post(at.request, at.payment)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  expect((await at.free.post(at.request)).status).toBe(200)
  const hash = await frontRun(bench.chain, at.payment)
  await bench.chain.mine(2)
  for (let round = 0; round < 3; round++) {
    await reconcileOnce(at.free.deps)
    at.clock.advance(MINUTE)
  }
  expect(await at.outcome()).toEqual({ attempts: ["PAID_OWED"], request: "DELIVERED", paid: 1 })
  const requestId = (await at.stored())?.id ?? ""
  expect(await bench.database.count("delivery", "request_id = ?1", requestId)).toBe(1)
  const owed = (await at.free.store.read(owedAttempts)).filter((one) => one.requestId === requestId)
  expect(owed).toMatchObject([{ settledTx: hash, isRefund: true }])
  // The payment moved money, and its header neither gets the answer of another payment nor hears that nothing was charged.
  const answer = await at.free.post(at.request, at.payment)
  expect([answer.status, settlementOf(answer).transaction]).toEqual([202, hash])
  expect(await codeOf(await at.free.post(at.request))).toEqual([409, "ALREADY_ACQUIRED"])
})

test("a payment that was given up, and that the chain shows before the replacement, gets its answer; nothing is replaced", async () => {
  const at = await replaceable()
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await at.paid.post(at.request, at.payment)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  await frontRun(bench.chain, at.payment)
  await reconcileOnce(at.paid.deps)
  expect((await at.free.post(at.request)).status).toBe(202)
  await bench.chain.mine(2)
  for (let round = 0; round < 3; round++) {
    at.clock.advance(MINUTE)
    await reconcileOnce(at.paid.deps)
  }
  expect(await at.outcome()).toEqual({ attempts: ["SETTLED"], request: "DELIVERED", paid: 1 })
  const replacedBy = "SELECT count(*) AS n FROM redelivery WHERE used_by = ?1"
  expect(await bench.database.row(replacedBy, (await at.stored())?.id ?? "")).toEqual({ n: 0 })
})

test("a payment that was given up, and that the chain shows while the replacement is computed, stops the replacement", async () => {
  const at = await replaceable()
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await at.paid.post(at.request, at.payment)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  const held = holdCompute(at.free, PAYMENT_DECISION_PRODUCT)
  const replacement = at.free.post(at.request)
  await held.begun
  await frontRun(bench.chain, at.payment)
  await reconcileOnce(at.paid.deps)
  held.release()
  expect((await replacement).status).toBe(202)
  expect((await at.paid.post(at.request, at.payment)).status).toBe(200)
  expect(await at.outcome()).toEqual({ attempts: ["SETTLED"], request: "DELIVERED", paid: 1 })
})

test("a used payment that is refused for the moment while the replacement is computed stops the replacement", async () => {
  const at = await replacing()
  await frontRun(bench.chain, at.payment)
  expect((await postContended(at.paid, at.request, at.payment)).status).toBe(202)
  at.held.release()
  expect((await at.replacement).status).toBe(202)
  expect(await at.holds()).toBe(0)
  expect((await at.paid.post(at.request, at.payment)).status).toBe(200)
  expect(await at.outcome()).toEqual({ attempts: ["SETTLED"], request: "DELIVERED", paid: 1 })
})

test("a job that freezes the request of a replacement keeps it", async () => {
  const at = await replacing()
  const requestId = (await at.stored())?.id ?? ""
  const createdAt = new Date(at.clock.now()).toISOString()
  const purchase = { id: `job_${at.request.idempotency_key}`, requestId, rail: "acp", createdAt } as const
  expect(await at.free.store.run(() => openPurchase(purchase))).toBe(true)
  const had = await at.holds()
  at.held.release()
  const answer = await at.replacement
  expect([answer.status, ((await answer.json()) as { rail?: string }).rail]).toEqual([202, "acp"])
  expect([await at.holds(), (await at.stored())?.state]).toEqual([had, "NEW"])
})

describe("of two equal calls for one replacement", () => {
  test("the second waits for the first, and hears that the answer is there", async () => {
    const at = await replacing()
    const two = await at.paid.post(at.request)
    expect(Number(two.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(await codeOf(two)).toEqual([409, "DECISION_IN_PROGRESS"])
    at.held.release()
    expect((await at.replacement).status).toBe(200)
    expect(await codeOf(await at.paid.post(at.request))).toEqual([409, "ALREADY_ACQUIRED"])
    expect((await at.outcome()).paid).toBe(0)
  })

  test("one that took longer than its holds last is not delivered after the other", async () => {
    const at = await replacing()
    at.clock.advance(3 * MINUTE)
    await reconcileOnce(at.paid.deps)
    expect((await at.paid.post(at.request)).status).toBe(200)
    at.held.release()
    expect(await codeOf(await at.replacement)).toEqual([409, "ALREADY_ACQUIRED"])
    expect(await at.outcome()).toEqual({ attempts: [], request: "DELIVERED", paid: 0 })
  })

  test("a call that takes over from a stopped one keeps its holds as long as any other", async () => {
    const at = await replacing()
    at.clock.advance(3 * MINUTE)
    await reconcileOnce(at.paid.deps)
    expect(await at.holds()).toBe(0)
    const held = holdCompute(at.paid, PAYMENT_DECISION_PRODUCT)
    const two = at.paid.post(at.request)
    await held.begun
    await reconcileOnce(at.paid.deps)
    expect(await at.holds()).toBeGreaterThan(0)
    held.release()
    expect((await two).status).toBe(200)
    at.held.fail()
    expect((await at.replacement).status).toBe(500)
    expect(await at.outcome()).toEqual({ attempts: [], request: "DELIVERED", paid: 0 })
  })
})

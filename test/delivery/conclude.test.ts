import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { HOUR, instant, MINUTE } from "../../src/core/time.ts"
import { settleAttempt } from "../../src/store/payments/attempt-moves.ts"
import { stopWrites } from "../fixtures/failing-store.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { expectPaidOnce, type Moment } from "./failing-sale.ts"
import {
  type Bench,
  type ClockMachine,
  clockMachine,
  openBench,
  problemOf,
  reconcileUntilQuiet,
  rowsOf,
  theAttempt,
  UNTOUCHED,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let clock: ClockMachine
/** The process that continues after another one's disk failed. Its clock is past the other's lease. */
let healthy: TestServer

beforeAll(async () => {
  bench = await openBench()
  clock = clockMachine()
  healthy = await bench.server({ machine: clock })
  clock.advance(31_000)
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("a database that takes no writes", () => {
  test("before the reservation gives 503 without a charge or a row, and sends nothing", async () => {
    const server = await bench.server()
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    const mend = stopWrites(server.store)
    const answer = await server.post(request, header)
    const problem = await problemOf(answer)
    expect([answer.status, problem.code, problem.charged]).toEqual([503, "STORE_UNAVAILABLE", false])
    expect(await rowsOf(server, request)).toEqual(UNTOUCHED)
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    mend()
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  const MOMENTS: readonly Moment[] = [
    ["reserved", 503],
    ["computed", 503],
    ["nonce_allocated", 503],
    ["settling_stored", 202],
    ["broadcast", 202],
  ]
  test.each(MOMENTS)(
    "after '%s' gives status %d, which stays true, and the payment ends paid once",
    async (step, status) => {
      await expectPaidOnce({ bench, healthy }, ({ store }) => stopWrites(store), [step, status])
    },
  )
})

describe("a decision reported as delivered", () => {
  test("is committed: another connection reads the same bytes", async () => {
    const request = freshRequest()
    const answer = await healthy.post(request, await signedHeader(healthy, request))
    const bytes = await answer.text()
    const stored = await bench.database.row<{ body: string }>(
      "SELECT body FROM delivery JOIN decision_request r ON r.id = request_id WHERE r.idempotency_key = ?1",
      request.idempotency_key,
    )
    expect(stored?.body).toBe(bytes)
  })
})

describe("concludePaid", () => {
  test("one transfer on the chain never settles two attempts", async () => {
    const sold = freshRequest()
    const second = freshRequest()
    expect((await healthy.post(sold, await signedHeader(healthy, sold))).status).toBe(200)
    let stop = true
    const server = await bench.server({
      trace: (step) => {
        if (step === "settling_stored" && stop) throw new Error("stopped here")
      },
    })
    stop = true
    expect((await server.post(second, await signedHeader(server, second))).status).toBe(500)
    const spent = (await bench.database.row<{ tx: string; log: number }>(
      "SELECT settled_tx AS tx, settled_log_index AS log FROM payment_attempt WHERE id = ?1",
      (
        await theAttempt(healthy, sold)
      ).id,
    )) as { tx: string; log: number }
    const { id, leaseOwner } = await theAttempt(healthy, second)
    const transfer = { tx: spent.tx, logIndex: spent.log, block: "1", blockHash: "0x01", finality: "SAFE" } as const
    const settling = healthy.store.run(() =>
      settleAttempt(id, leaseOwner ?? "", { from: "SETTLING", at: "2026-01-01T00:00:00.000Z", transfer }),
    )
    expect(await settling.catch((error: unknown) => error)).toMatchObject({ kind: "UNIQUE", table: "payment_attempt" })
    expect((await theAttempt(healthy, second)).state).toBe("SETTLING")
    await reconcileUntilQuiet(healthy)
    expect((await theAttempt(healthy, second)).settledTx).not.toBe(spent.tx)
  })

  test("a decision that arrives with less than five minutes left is delivered and recorded as expired on arrival", async () => {
    await using late = await openBench()
    const lateClock = clockMachine()
    const server = await late.server({ machine: lateClock, settleWaitMs: 100 })
    await late.chain.setAutomine(false)
    const request = freshRequest()
    const header = await signedHeader(server, request)
    expect((await server.post(request, header)).status).toBe(202)
    lateClock.advance(HOUR - 4 * MINUTE)
    await late.chain.mine(1)
    await reconcileOnce(server.deps)
    const row = await late.database.row<{ arrival: string; valid_until: string; delivered_at: string }>(
      "SELECT arrival, valid_until, delivered_at FROM delivery",
    )
    expect(row?.arrival).toBe("EXPIRED_ON_ARRIVAL")
    expect(instant(row?.valid_until ?? "") - instant(row?.delivered_at ?? "")).toBeLessThan(5 * MINUTE)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await late.paid()).toBe(1)
  })
})

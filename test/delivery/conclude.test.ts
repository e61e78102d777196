import { Database } from "bun:sqlite"
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { HOUR, instant, MINUTE } from "../../src/core/time.ts"
import type { SettleStep } from "../../src/payments/settle.ts"
import { settleAttempt } from "../../src/store/payments/attempt-moves.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import { tap } from "../store/store-bench.ts"
import {
  type Bench,
  type ClockMachine,
  clockMachine,
  openBench,
  problemOf,
  reconcileUntilQuiet,
  rowsOf,
  settlementOf,
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

const FAULTS = {
  full: {
    start: ({ database }: TestServer) => {
      const { page_count: pages } = database.query<{ page_count: number }, []>("PRAGMA page_count").get() as {
        page_count: number
      }
      database.run(`PRAGMA max_page_count = ${pages}`)
    },
    end: ({ database }: TestServer) => database.run("PRAGMA max_page_count = 1000000"),
  },
  "read-only": {
    start: ({ database }: TestServer) => database.run("PRAGMA query_only = 1"),
    end: ({ database }: TestServer) => database.run("PRAGMA query_only = 0"),
  },
} as const

describe("a disk that fails", () => {
  test("that is read-only before the reservation gives 503 without a charge or a row, and sends nothing", async () => {
    const server = await bench.server()
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    FAULTS["read-only"].start(server)
    const answer = await server.post(request, header)
    const problem = await problemOf(answer)
    expect([answer.status, problem.code, problem.charged]).toEqual([503, "STORE_UNAVAILABLE", false])
    expect(rowsOf(server, request)).toEqual(UNTOUCHED)
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    FAULTS["read-only"].end(server)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  const MOMENTS: readonly [keyof typeof FAULTS, SettleStep, number][] = [
    ["full", "reserved", 503],
    ["read-only", "reserved", 503],
    ["read-only", "computed", 503],
    ["read-only", "nonce_allocated", 503],
    ["full", "settling_stored", 202],
    ["read-only", "settling_stored", 202],
    ["read-only", "broadcast", 202],
  ]
  test.each(MOMENTS)(
    "%s after '%s' gets status %d, the response stays true, and the payment ends paid once",
    async (...row) => {
      const [kind, step, status] = row
      const request = freshRequest()
      const before = await bench.paid()
      let fail = () => {}
      const server = await bench.server({
        settleWaitMs: 200,
        trace: (reached) => {
          if (reached === step) fail()
        },
      })
      const header = await signedHeader(server, request)
      fail = () => FAULTS[kind].start(server)
      const answer = await server.post(request, header)
      FAULTS[kind].end(server)
      expect(answer.status).toBe(status)
      if (status === 503) {
        expect(await problemOf(answer)).toMatchObject({ code: "STORE_UNAVAILABLE", charged: false })
        expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
      } else expect(settlementOf(answer)).toMatchObject({ success: false, errorReason: "settlement_pending" })

      await reconcileUntilQuiet(healthy)
      expect(await bench.paid()).toBe(before + (status === 503 ? 0 : 1))
      expect((await healthy.post(request, header)).status).toBe(200)
      expect(await bench.paid()).toBe(before + 1)
      expect(rowsOf(healthy, request)).toMatchObject({ attempts: 1, delivered: 1 })
    },
  )

  test("a decision reported as delivered is on the disk: another connection reads the same bytes", async () => {
    const request = freshRequest()
    const answer = await healthy.post(request, await signedHeader(healthy, request))
    const bytes = await answer.text()
    using other = new Database(bench.path, { readonly: true })
    const { body } = other
      .query<{ body: string }, [string]>(
        "SELECT body FROM delivery JOIN decision_request r ON r.id = request_id WHERE r.idempotency_key = ?1",
      )
      .get(request.idempotency_key) as { body: string }
    expect(body).toBe(bytes)
  })
})

describe("another connection that holds the write lock", () => {
  test("for a moment delays the paid request, which is then delivered", async () => {
    const server = await bench.server()
    const request = freshRequest()
    const header = await signedHeader(server, request)
    using other = new Database(bench.path)
    other.run("BEGIN IMMEDIATE")
    let tries = 0
    tap(server.database, (sql) => {
      if (sql === "BEGIN IMMEDIATE") tries++
    })
    const paying = server.post(request, header)
    await until("the store has tried twenty times", () => tries >= 20)
    other.run("COMMIT")
    expect((await paying).status).toBe(200)
  })

  test("for longer than the store waits gives 202 if the payment may be paid and 503 uncharged if not, and both end paid once", async () => {
    using other = new Database(bench.path)
    let lock = () => {}
    const server = await bench.server({
      settleWaitMs: 1_000,
      trace: (step) => {
        if (step === "settling_stored") lock()
      },
    })
    const requests = [freshRequest(), freshRequest()] as const
    const headers = await Promise.all(requests.map((request) => signedHeader(server, request)))
    const before = await bench.paid()
    const locked = Promise.withResolvers<void>()
    lock = () => {
      lock = () => {}
      other.run("BEGIN IMMEDIATE")
      locked.resolve()
    }
    const running = server.post(requests[0], headers[0])
    await locked.promise
    const refused = await server.post(requests[1], headers[1])
    expect(await problemOf(refused)).toMatchObject({
      code: "STORE_UNAVAILABLE",
      charged: false,
      reason_codes: ["DATABASE_BUSY"],
    })
    expect((await running).status).toBe(202)
    other.run("COMMIT")
    expect(rowsOf(server, requests[1])).toEqual(UNTOUCHED)
    await reconcileUntilQuiet(healthy)
    expect(await bench.paid()).toBe(before + 1)
    const answers = await Promise.all(requests.map((request, i) => server.post(request, headers[i])))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await bench.paid()).toBe(before + 2)
  }, 20_000)
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
    const spent = healthy.database
      .query<{ tx: string; log: number }, [string]>(
        "SELECT settled_tx AS tx, settled_log_index AS log FROM payment_attempt WHERE id = ?1",
      )
      .get(theAttempt(healthy, sold).id) as { tx: string; log: number }
    const { id, leaseOwner } = theAttempt(healthy, second)
    const transfer = { tx: spent.tx, logIndex: spent.log, block: "1", blockHash: "0x01", finality: "SAFE" } as const
    const settling = healthy.store.run(() =>
      settleAttempt(id, leaseOwner ?? "", { from: "SETTLING", at: "2026-01-01T00:00:00.000Z", transfer }),
    )
    expect(settling).rejects.toThrow(/UNIQUE/)
    await settling.catch(() => undefined)
    expect(theAttempt(healthy, second).state).toBe("SETTLING")
    await reconcileUntilQuiet(healthy)
    expect(theAttempt(healthy, second).settledTx).not.toBe(spent.tx)
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
    const row = server.database
      .query<{ arrival: string; valid_until: string; delivered_at: string }, []>(
        "SELECT arrival, valid_until, delivered_at FROM delivery",
      )
      .get()
    expect(row?.arrival).toBe("EXPIRED_ON_ARRIVAL")
    expect(instant(row?.valid_until ?? "") - instant(row?.delivered_at ?? "")).toBeLessThan(5 * MINUTE)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await late.paid()).toBe(1)
  })
})

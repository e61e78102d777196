import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { formatInstant } from "../../src/core/time.ts"
import { resumeAbandoned } from "../../src/delivery/reconcile.ts"
import type { SettleStep } from "../../src/payments/settle.ts"
import { CommitOutcomeUnknown } from "../../src/store/engine/store-error.ts"
import { endAttempt } from "../../src/store/payments/attempt-moves.ts"
import { dropComputed } from "../../src/store/sales/deliveries.ts"
import { stopWrites } from "../fixtures/failing-store.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, listedParty, signedHeader, staticBoard, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import {
  type Bench,
  clockMachine,
  openBench,
  problemOf,
  reconcileUntilQuiet,
  rowsOf,
  theAttempt,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let server: TestServer

beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("a source that fails between quote and settlement", () => {
  test("gives 503 without a charge and releases holds and reservation; the same header works when the source is healthy again", async () => {
    let sick = false
    // Healthy for the checks of the request, unhealthy when the decision is computed.
    const failing = await bench.server({
      board: staticBoard([listedParty()], (state) =>
        sick ? { ...state, health: "UNAVAILABLE", freshness: "STALE" } : state,
      ),
      trace: (step) => {
        if (step === "reserved") sick = true
      },
    })
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    const answer = await failing.post(request, header)
    const problem = await problemOf(answer)
    expect([answer.status, problem.code, problem.charged]).toEqual([503, "SOURCE_UNAVAILABLE", false])
    expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", payloadJson: null })
    expect(await rowsOf(server, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(0)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })
})

describe("a database that is busy while a request is carried out", () => {
  /** Sells until the step, from which on the database of the process takes no unit, and then takes them again. */
  const sellUntil = async (step: SettleStep) => {
    let mend = () => {}
    const busy = await bench.server({
      settleWaitMs: 200,
      trace: (reached) => {
        if (reached !== step || status !== 0) return
        mend = stopWrites(busy.store, "BUSY")
      },
    })
    const request = freshRequest()
    const header = await signedHeader(busy, request)
    let status = 0
    status = (await busy.post(request, header)).status
    mend()
    return { busy, request, header, status }
  }

  test("ends a sale of which nothing is sent: the next round of the process releases it, and the payment is taken again", async () => {
    const before = await bench.paid()
    const { busy, request, header, status } = await sellUntil("computed")
    expect(status).toBe(503)
    await resumeAbandoned(busy.deps)
    expect((await theAttempt(busy, request)).state).toBe("RELEASED")
    expect((await busy.post(request, header)).status).toBe(200)
    await resumeAbandoned(busy.deps)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("ends the wait for a payment that is sent: the next round of the process delivers", async () => {
    const { busy, request, status } = await sellUntil("broadcast")
    expect(status).toBe(202)
    await resumeAbandoned(busy.deps)
    expect((await theAttempt(busy, request)).state).toBe("SETTLED")
  })
})

const expireLeases = ({ database }: Pick<TestServer, "database">) =>
  database.write("UPDATE payment_attempt SET lease_until = '2000-01-01T00:00:00.000Z' WHERE lease_owner IS NOT NULL")

describe("a commit whose answer is lost", () => {
  /** A process whose commits in place are stored, and have no answer from the step on. */
  const losingFrom = async (step: SettleStep | "START") => {
    const server = await bench.server({
      trace: (reached) => {
        if (reached === step) lose()
      },
    })
    const { runInPlace } = server.store
    const lose = () => {
      server.store.runInPlace = async (unit) => {
        await runInPlace.call(server.store, unit)
        throw new CommitOutcomeUnknown()
      }
    }
    const request = freshRequest()
    const header = await signedHeader(server, request)
    if (step === "START") lose()
    const answer = await server.post(request, header)
    Object.assign(server.store, { runInPlace })
    return { server, request, header, answer }
  }

  test("makes a settlement pending, never uncharged: the next round of the process sends it and delivers", async () => {
    const before = await bench.paid()
    const { server, request, header, answer } = await losingFrom("computed")
    expect([answer.status, await bench.paid()]).toEqual([202, before])
    await until("it is delivered", async () => {
      await reconcileOnce(server.deps)
      return (await theAttempt(server, request)).state === "SETTLED"
    })
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("is a refusal that may be repeated, while nothing is sent", async () => {
    const before = await bench.paid()
    const { server, request, header, answer } = await losingFrom("START")
    const problem = await problemOf(answer)
    expect([answer.status, problem.code, problem.charged]).toEqual([503, "STORE_UNAVAILABLE", false])
    await expireLeases(server)
    await resumeAbandoned(server.deps)
    expect((await theAttempt(server, request)).state).toBe("RELEASED")
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })
})

describe("several processes on one database", () => {
  /** A process that was paused longer than its lease, as the others see it. */
  const expireLease = () => expireLeases(server)
  /** Distinct transactions that left any process with this authorization in them. */
  const sentWith = (nonce: string) =>
    new Set(
      bench.proxy.calls
        .filter(({ method, body }) => method === "eth_sendRawTransaction" && body.includes(nonce.slice(2)))
        .map(({ body }) => (JSON.parse(body) as { params: string[] }).params[0]),
    ).size

  test.each(["reserved", "computed", "nonce_allocated"] as const)(
    "a worker that lost its lease after '%s' stops without a broadcast, and only the new worker settles",
    async (step) => {
      const request = freshRequest()
      const header = await signedHeader(server, request)
      const before = await bench.paid()
      const stalled = await bench.server({
        settleWaitMs: 500,
        trace: async (reached) => {
          if (reached !== step) return
          await expireLease()
          await reconcileOnce(server.deps)
          expect((await theAttempt(server, request)).state).toBe("RELEASED")
          expect((await server.post(request, header)).status).toBe(200)
        },
      })
      const answer = await stalled.post(request, header)
      expect(answer.status).toBe(200)
      await reconcileUntilQuiet(server)
      expect(await bench.paid()).toBe(before + 1)
      expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, delivered: 1 })
      expect(sentWith((await theAttempt(server, request)).nonce)).toBe(1)
    },
  )

  test("a worker that lost its lease to a worker in the same state stores and sends nothing", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    const [takerVerified, stalledEnded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const taker = await bench.server({
      trace: async (reached) => {
        if (reached !== "computed") return
        takerVerified.resolve()
        await stalledEnded.promise
      },
    })
    let taking: Promise<Response> | null = null
    const stalled = await bench.server({
      settleWaitMs: 100,
      trace: async (reached) => {
        if (reached !== "nonce_allocated") return
        // Another process released the attempt and has not filled the nonce yet.
        const { id, leaseOwner, requestId } = await theAttempt(server, request)
        await server.store.run(function* () {
          yield* endAttempt(id, leaseOwner ?? "", {
            from: "VERIFIED",
            to: "RELEASED",
            at: formatInstant(Date.now()),
            reason: "worker_gone",
            watched: true,
            usedBlock: null,
          })
          yield* dropComputed(requestId)
        })
        taking = taker.post(request, header)
        await takerVerified.promise
      },
    })
    expect((await stalled.post(request, header)).status).toBe(202)
    expect((await theAttempt(server, request)).state).toBe("VERIFIED")
    expect(sentWith((await theAttempt(server, request)).nonce)).toBe(0)
    stalledEnded.resolve()
    await until(
      "the taker sends its transaction",
      async () => sentWith((await theAttempt(server, request)).nonce) === 1,
    )
    // The transaction is mined once the reconciler has filled the nonce before it.
    await reconcileUntilQuiet(server)
    const answer = taking === null ? null : await (taking as Promise<Response>)
    expect(answer?.status).toBe(200)
    expect(sentWith((await theAttempt(server, request)).nonce)).toBe(1)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("a worker that lost its lease and finds the attempt released returns 503 without a charge", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    const stalled = await bench.server({
      trace: async (reached) => {
        if (reached !== "nonce_allocated") return
        await expireLease()
        await reconcileOnce(server.deps)
      },
    })
    const answer = await stalled.post(request, header)
    expect([answer.status, (await problemOf(answer)).charged]).toEqual([503, false])
    await reconcileUntilQuiet(server)
    expect(await bench.paid()).toBe(before)
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(before + 1)
  })

  test("a second worker may look at a settling attempt at the same time: it settles once, and both return the same bytes", async () => {
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    const stalled = await bench.server({
      trace: async (reached) => {
        if (reached !== "broadcast") return
        await expireLease()
        await reconcileUntilQuiet(server)
      },
    })
    const [first, second] = [await stalled.post(request, header), await server.post(request, header)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await first.text()).toBe(await second.text())
    expect(await bench.paid()).toBe(before + 1)
  })

  test("fifty identical paid requests to two processes with running reconcilers give one transfer", async () => {
    const other = await bench.server({ machine: clockMachine() })
    const request = freshRequest()
    const header = await signedHeader(server, request)
    const before = await bench.paid()
    let running = true
    const reconciling = [server, other].map(async ({ deps }) => {
      while (running) {
        await reconcileOnce(deps)
        await Bun.sleep(5)
      }
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => present(i % 2 === 0 ? server : other, request, header, [202, 503])),
    )
    running = false
    await Promise.all(reconciling)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect(await bench.paid()).toBe(before + 1)
    expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, delivered: 1 })
  })

  test("fifty different simultaneous authorizations for one request pay once", async () => {
    const request = freshRequest()
    const headers = await Promise.all(Array.from({ length: 50 }, () => signedHeader(server, request)))
    const other = await bench.server()
    const before = await bench.paid()
    const answers = await Promise.all(
      headers.map((header, i) => present(i % 2 === 0 ? server : other, request, header, [503])),
    )
    expect(answers.every(({ status }) => status === 200 || status === 202)).toBe(true)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    await reconcileUntilQuiet(server)
    expect(await bench.paid()).toBe(before + 1)
    expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, delivered: 1 })
  })
})

/**
 * Presents a payment until the status is none of these. A node that fifty ask at once may be too slow for some, on a busy machine also for
 * the payment itself.
 */
async function present(
  server: TestServer,
  request: DecisionRequest,
  header: Record<string, string> | undefined,
  again: readonly number[],
): Promise<Response> {
  for (;;) {
    const answer = await server.post(request, header)
    if (!again.includes(answer.status)) return answer
    await Bun.sleep(100)
  }
}

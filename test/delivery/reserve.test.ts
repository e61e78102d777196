import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { realMachine } from "../../src/base/machine.ts"
import { DAY } from "../../src/core/time.ts"
import { RateLimiter } from "../../src/http/rate-limit.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storeWith } from "../fixtures/store-with.ts"
import { freshRequest, paymentHeader, quoteFor, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import {
  type Bench,
  clockMachine,
  frontRun,
  openBench,
  problemOf,
  reconcileUntilQuiet,
  refusedFor,
  rowsOf,
  UNTOUCHED,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("the holds of a running or delivered decision", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await bench.server()
  })

  const sameObligation = () => {
    const first = freshRequest()
    return [
      first,
      freshRequest({ request: { invoice: { ...freshRequest().invoice, obligation_id: first.invoice.obligation_id } } }),
    ]
  }

  /** Sends both at once. The one that is sold is running until the other has its answer. */
  async function sendBoth(
    pair: readonly DecisionRequest[],
    headers: readonly Record<string, string>[],
  ): Promise<readonly Response[]> {
    const answered = Promise.withResolvers<void>()
    bench.proxy.fault("eth_sendRawTransaction", { hold: answered.promise })
    const answers = pair.map((request, i) => server.post(request, headers[i]))
    await Promise.race(answers)
    answered.resolve()
    return Promise.all(answers)
  }

  test("allow one of two simultaneous requests for an obligation; the other gets 409 without a charge, now and later", async () => {
    const pair = sameObligation()
    const headers = await Promise.all(pair.map((request) => signedHeader(server, request)))
    const before = await bench.paid()
    const answers = await sendBoth(pair, headers)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const loser = answers.findIndex(({ status }) => status === 409)
    const problem = await problemOf(answers[loser] as Response)
    expect([problem.code, problem.charged]).toEqual(["DECISION_IN_PROGRESS", false])
    expect(await rowsOf(server, pair[loser] as (typeof pair)[0])).toMatchObject({ attempts: 0, holds: 0 })
    expect(await bench.paid()).toBe(before + 1)
    // A delivered decision no longer holds its obligation: it is a record, and no other decision is sold while it is valid.
    const later = await server.post(pair[loser], headers[loser])
    expect([later.status, (await problemOf(later)).code]).toEqual([409, "OBLIGATION_ALREADY_AUTHORIZED"])
    expect(await bench.paid()).toBe(before + 1)
  })

  test("end with a release, so that the other request for the obligation continues", async () => {
    const [first, second] = sameObligation() as [ReturnType<typeof freshRequest>, ReturnType<typeof freshRequest>]
    const headers = [await signedHeader(server, first), await signedHeader(server, second)]
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(first, headers[0])).status).toBe(503)
    await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    const answer = await server.post(second, headers[1])
    expect([answer.status, ((await answer.json()) as { decision: string }).decision]).not.toEqual([200, "BLOCK"])
    expect(answer.status).toBe(200)
  })

  test.each([
    ["mandate id", (from: ReturnType<typeof freshRequest>) => ({ mandate_id: from.buyer_mandate.payload.mandate_id })],
    ["mandate nonce", (from: ReturnType<typeof freshRequest>) => ({ nonce: from.buyer_mandate.payload.nonce })],
  ])("block a %s while its request runs, and permanently after the settlement", async (_, reuse) => {
    const first = freshRequest()
    const second = freshRequest({ mandate: reuse(first) })
    const headers = [await signedHeader(server, first), await signedHeader(server, second)]
    const before = await bench.paid()
    const answers = await sendBoth([first, second], headers)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const loser = answers[0]?.status === 409 ? 0 : 1
    expect((await problemOf(answers[loser] as Response)).code).toBe("DECISION_IN_PROGRESS")
    const again = await server.post([first, second][loser], headers[loser])
    expect([again.status, (await problemOf(again)).code]).toEqual([409, "MANDATE_ALREADY_USED"])
    const unpaid = await server.post([first, second][loser])
    expect([unpaid.status, (await problemOf(unpaid)).code]).toEqual([409, "MANDATE_ALREADY_USED"])
    expect(await bench.paid()).toBe(before + 1)
  })
})

describe("limits of a delegation", () => {
  let limited: Bench
  afterEach(() => limited.close())

  async function serverWith(limits: Record<string, unknown>): Promise<TestServer> {
    limited = await openBench({ limits })
    return limited.server()
  }

  test("include running requests: of two at once only one passes, and a released one frees its place", async () => {
    const server = await serverWith({ max_requests_per_day: 1 })
    const requests = [freshRequest(), freshRequest()] as const
    const headers = await Promise.all(requests.map((request) => signedHeader(server, request)))
    await limited.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(requests[0], headers[0])).status).toBe(503)
    await limited.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    const answers = await Promise.all(requests.map((request, i) => server.post(request, headers[i])))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const refused = answers.find(({ status }) => status === 403) as Response
    expect(await problemOf(refused)).toMatchObject({ code: "DELEGATION_EXCEEDED", charged: false })
    expect(await limited.paid()).toBe(1)
  })

  test("do not say that nothing was charged for a released payment that a stranger brought to the chain, if another request takes the place after the check", async () => {
    limited = await openBench({ limits: { max_requests_per_day: 1 } })
    const requests = [freshRequest(), freshRequest()] as const
    const other = await limited.server()
    const headers = await Promise.all(requests.map((request) => signedHeader(other, request)))
    let isBetween = false
    const server = await limited.server({
      inPlaceOf: (own) =>
        storeWith(own, {
          runInPlace: async (unit, hint) => {
            if (isBetween) expect((await other.post(requests[1], headers[1])).status).toBe(200)
            isBetween = false
            return own.runInPlace(unit, hint)
          },
        }),
    })
    await limited.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(requests[0], headers[0])).status).toBe(503)
    await limited.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    await frontRun(limited.chain, headers[0] ?? {})
    isBetween = true
    const answer = await server.post(requests[0], headers[0])
    expect([answer.status, isBetween]).toEqual([202, false])
    expect(await limited.paid()).toBe(2)
  })

  test("cap the total, however many ask at once", async () => {
    const server = await serverWith({ max_total_amount: "25000" })
    const requests = Array.from({ length: 5 }, () => freshRequest())
    const headers = await Promise.all(requests.map((request) => signedHeader(server, request)))
    const answers = await Promise.all(requests.map((request, i) => server.post(request, headers[i])))
    // Each request asks for 12500.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(3)
    expect(await limited.paid()).toBe(2)
  })

  test("count a request first tried yesterday on the day it is paid", async () => {
    const server = await serverWith({ max_requests_per_day: 1 })
    const [early, second] = [freshRequest(), freshRequest()]
    const headers = [await signedHeader(server, early), await signedHeader(server, second)]
    await limited.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    expect((await server.post(early, headers[0])).status).toBe(503)
    await limited.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    await server.database.write("UPDATE decision_request SET created_at = ?1", new Date(Date.now() - DAY).toISOString())
    expect((await server.post(early, await signedHeader(server, early))).status).toBe(200)
    const answer = await server.post(second, headers[1])
    expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "DELEGATION_EXCEEDED"])
    expect(await limited.paid()).toBe(1)
  })
})

type Terms = Awaited<ReturnType<typeof quoteFor>>

/** Its database takes no write. */
const fullStore = (own: Store) => storeWith(own, { run: () => Promise.reject(new StoreUnavailable("FULL")) })

describe("limits per address", () => {
  afterEach(() => bench.database.write("DELETE FROM shared_use"))

  const junk = (signature: string) => `0x${"22".repeat(64)}${signature.slice(-2)}` as `0x${string}`
  const forged = async (terms: Terms) =>
    paymentHeader(await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(Date.now() / 1000), { wrap: junk }))
  const failTen = async (servers: readonly TestServer[], request: DecisionRequest, terms: Terms) => {
    for (let time = 0; time < 10; time++) {
      const answer = await (servers[time % servers.length] as TestServer).post(request, await forged(terms))
      expect([answer.status, refusedFor(answer)]).toEqual([402, "invalid_exact_evm_signature"])
    }
  }
  const countRows = () => bench.database.count("shared_use")

  test("allow ten failed verifications a minute, then return 429 before any query to a node", async () => {
    const server = await bench.server({ limiter: new RateLimiter(realMachine) })
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    await failTen([server], request, terms)
    const good = await signedHeader(server, request)
    bench.proxy.reset()
    const refused = await server.post(request, await forged(terms))
    expect([refused.status, (await problemOf(refused)).code]).toEqual([429, "RATE_LIMITED"])
    expect(refused.headers.get("ratelimit-policy")).toBe('"failed payment verifications";q=10;w=60')
    const wait = Number(refused.headers.get("retry-after"))
    expect([wait > 0, wait <= 60]).toEqual([true, true])
    expect((await server.post(request, good)).status).toBe(429)
    expect(bench.proxy.calls).toHaveLength(0)
    expect(await rowsOf(server, request)).toEqual(UNTOUCHED)
  })

  test("count failed verifications over all instances on a shared database, and on a file in each process, without a write", async () => {
    const server = await bench.server({ limiter: new RateLimiter(realMachine) })
    const other = await bench.server({ limiter: new RateLimiter(realMachine) })
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    await failTen([server, other], request, terms)
    const { isShared } = server.engine
    const answers = [await server.post(request, await forged(terms)), await other.post(request, await forged(terms))]
    expect(answers.map(({ status }) => status)).toEqual(isShared ? [429, 429] : [402, 402])
    expect(await countRows()).toBe(isShared ? 1 : 0)
  })

  test.each([
    ["the disk has no space", { hasSpace: () => false }],
    ["nothing can be stored", { inPlaceOf: fullStore }],
  ])("tell why a payment failed while %s, write no row, and count in memory", async (_, options) => {
    const server = await bench.server({ limiter: new RateLimiter(realMachine), ...options })
    const request = freshRequest()
    const terms = await quoteFor(server, request)
    await failTen([server], request, terms)
    expect((await server.post(request, await forged(terms))).status).toBe(429)
    expect(await countRows()).toBe(0)
  })

  test("allow thirty paid calls a minute, then return 429 until the next minute, and never limit a header that is running", async () => {
    const clock = clockMachine()
    const limiter = new RateLimiter(clock)
    // Eighty calls in a minute would reach the limit on quotes first, so a separate clock empties that window.
    const quotes = await bench.server()
    const server = await bench.server({ limiter, machine: clock })
    const request = freshRequest()
    const header = await signedHeader(quotes, request)
    expect((await server.post(request, header)).status).toBe(200)
    const { accepted } = JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString())
    for (let time = 1; time < 30; time++) {
      const other = await signPayment(DEV_ACCOUNTS.payer, accepted, Math.floor(Date.now() / 1000))
      expect((await server.post(request, paymentHeader(other))).status).toBe(200)
    }
    const other = paymentHeader(await signPayment(DEV_ACCOUNTS.payer, accepted, Math.floor(Date.now() / 1000)))
    expect((await server.post(request, other)).status).toBe(429)
    expect((await server.post(request, header)).status).toBe(200)
    clock.advance(61_000)
    expect((await server.post(request, other)).status).toBe(200)
    await reconcileUntilQuiet(quotes)
  })

  test("let a buyer repeat the payment after the address has used up its quotes and paid calls", async () => {
    const server = await bench.server({ limiter: new RateLimiter(realMachine) })
    const request = freshRequest()
    const header = await signedHeader(server, request)
    expect((await server.post(request, header)).status).toBe(200)
    const quoted: number[] = []
    for (let time = 0; time < 61; time++) quoted.push((await server.post(freshRequest())).status)
    expect(quoted.filter((status) => status === 402)).toHaveLength(59)
    expect(quoted.at(-1)).toBe(429)
    const { accepted } = JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString())
    const others: number[] = []
    for (let time = 0; time < 30; time++) {
      const other = await signPayment(DEV_ACCOUNTS.payer, accepted, Math.floor(Date.now() / 1000))
      others.push((await server.post(request, paymentHeader(other))).status)
    }
    expect(others.at(-1)).toBe(429)
    // As often as Retry-After allows.
    for (let time = 0; time < 30; time++) expect((await server.post(request, header)).status).toBe(200)
  })

  test("allow sixty repeats of one payment a minute and then refuse it, but not another payment of the same address", async () => {
    const server = await bench.server({ limiter: new RateLimiter(realMachine) })
    const [first, second] = [freshRequest(), freshRequest()]
    const headers = [await signedHeader(server, first), await signedHeader(server, second)]
    expect((await server.post(first, headers[0])).status).toBe(200)
    expect((await server.post(second, headers[1])).status).toBe(200)
    for (let time = 0; time < 60; time++) expect((await server.post(first, headers[0])).status).toBe(200)
    const refused = await server.post(first, headers[0])
    expect([refused.status, (await problemOf(refused)).code]).toEqual([429, "RATE_LIMITED"])
    expect(refused.headers.get("ratelimit-policy")).toBe('"paid repeats";q=60;w=60')
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await server.post(second, headers[1])).status).toBe(200)
  })

  test("allow six hundred payment headers a minute, whatever their content", async () => {
    const server = await bench.server({ limiter: new RateLimiter(realMachine) })
    const request = freshRequest()
    const junk = () => server.post(request, { "payment-signature": "e30=" })
    for (let time = 0; time < 600; time++) expect((await junk()).status).toBe(400)
    expect((await junk()).status).toBe(429)
    expect((await server.post(request)).status).toBe(402)
  })
})

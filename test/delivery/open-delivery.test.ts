import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { realMachine } from "../../src/base/machine.ts"
import { Readiness } from "../../src/base/readiness.ts"
import { openDelivery } from "../../src/delivery/open-delivery.ts"
import { unlimited } from "../../src/http/rate-limit.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, ORIGIN, signedHeader } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import { type Bench, openBench, problemOf, rowsOf, theAttempt, UNTOUCHED } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
  await bench.server()
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("an answer that cannot be settled or stored is not quoted", () => {
  const cases: readonly [string, string, () => Promise<Awaited<ReturnType<Bench["server"]>>>][] = [
    ["too little free disk", "DISK_LOW", () => bench.server({ diskFreeMinMb: 1_000_000_000 })],
    [
      "a node that is away",
      "CHAIN_UNAVAILABLE",
      async () => {
        const server = await bench.server()
        await server.close()
        bench.proxy.fault("*", { reject: true })
        return bench.server()
      },
    ],
    [
      "a relayer without gas",
      "RELAYER_UNFUNDED",
      async () => {
        await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
        const server = await bench.server()
        await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
        return server
      },
    ],
    [
      "gas above a quarter of the price",
      "GAS_TOO_EXPENSIVE",
      () => bench.server({ settings: { ethUsd: 100_000_000 } }),
    ],
  ]
  test.each(cases)(
    "%s: 503 %s without a quote, and a signed payment is refused before it is reserved",
    async (...row) => {
      const [, code, open] = row
      const healthy = await bench.server()
      const request = freshRequest()
      const header = await signedHeader(healthy, request)
      const before = await bench.paid()
      const server = await open()
      for (const headers of [{}, header] as Record<string, string>[]) {
        const answer = await server.post(request, headers)
        const problem = await problemOf(answer)
        expect([answer.status, problem.code, problem.charged]).toEqual([503, code, false])
        expect(answer.headers.get("payment-required")).toBeNull()
        expect(answer.headers.get("retry-after")).not.toBeNull()
      }
      expect(await rowsOf(server, request)).toEqual(UNTOUCHED)
      expect(await bench.paid()).toBe(before)
    },
  )

  test("an acquired decision is still returned while nothing can be sold", async () => {
    const healthy = await bench.server()
    const request = freshRequest()
    const header = await signedHeader(healthy, request)
    const bytes = await (await healthy.post(request, header)).text()
    bench.proxy.fault("*", { reject: true })
    const server = await bench.server({ diskFreeMinMb: 1_000_000_000 })
    const answer = await server.post(request, header)
    expect([answer.status, await answer.text()]).toEqual([200, bytes])
  })
})

test("the workers of an opened delivery path finish the work of a crashed process without a request", async () => {
  const request = freshRequest()
  const server = await bench.server({
    trace: (step) => {
      if (step === "settling_stored") throw new Error("stopped here")
    },
  })
  const header = await signedHeader(server, request)
  const before = await bench.paid()
  expect((await server.post(request, header)).status).toBe(500)
  await server.database.write(
    "UPDATE payment_attempt SET lease_until = '2000-01-01T00:00:00.000Z' WHERE lease_owner IS NOT NULL",
  )
  const restarted = await bench.server()
  for (const worker of restarted.workers) worker.start()
  expect(restarted.workers.map(({ name }) => name)).toEqual(["reconciler", "relayers", "restore", "outcomes"])
  await until("the workers settle the attempt", async () => (await theAttempt(restarted, request)).state === "SETTLED")
  for (const worker of restarted.workers) await worker.stop()
  expect(await bench.paid()).toBe(before + 1)
})

test("without payments no background worker runs and nothing is sold", async () => {
  const server = await bench.server()
  const opened = openDelivery({
    store: server.store,
    machine: realMachine,
    log: server.deps.log,
    limiter: unlimited,
    failures: server.deps.failures,
    baseUrl: () => ORIGIN,
    openPayments: null,
    quoteKey: new Uint8Array(32),
    readiness: new Readiness({ machine: realMachine, log: server.deps.log }),
    products: [],
    leaseSeconds: 30,
    directory: "/",
    diskFreeMinMb: 0,
  })
  expect(opened.workers).toEqual([])
  await opened.deps.opened()
  expect(opened.deps.payments).toBeNull()
})

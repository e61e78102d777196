/** The delivery over a SQLite file that is full or locked. */
import { Database } from "bun:sqlite"
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { databaseOf } from "../fixtures/database-of.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import { tap } from "../store/store-bench.ts"
import { expectPaidOnce, type Fault, type Moment } from "./failing-sale.ts"
import { type Bench, openCrashBench, problemOf, reconcileUntilQuiet, rowsOf, UNTOUCHED } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
/** The process that continues after another one's disk failed. Its clock is past the other's lease. */
let healthy: TestServer

beforeAll(async () => {
  ;({ bench, server: healthy } = await openCrashBench(30))
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

describe("a disk that is full", () => {
  const fill: Fault = (server) => {
    const database = databaseOf(server)
    // No page is free for what comes.
    database.run("VACUUM")
    const { page_count: pages } = database.query<{ page_count: number }, []>("PRAGMA page_count").get() as {
      page_count: number
    }
    database.run(`PRAGMA max_page_count = ${pages}`)
    return () => database.run("PRAGMA max_page_count = 1000000")
  }
  const MOMENTS: readonly Moment[] = [
    ["reserved", 503],
    ["settling_stored", 202],
  ]
  test.each(MOMENTS)(
    "after '%s' gives status %d, which stays true, and the payment ends paid once",
    async (step, status) => {
      await expectPaidOnce({ bench, healthy }, fill, [step, status])
    },
  )
})

describe("another connection that holds the write lock", () => {
  test("for a moment delays the paid request, which is then delivered", async () => {
    const server = await bench.server()
    const request = freshRequest()
    const header = await signedHeader(server, request)
    using other = new Database(bench.database.address)
    other.run("BEGIN IMMEDIATE")
    let tries = 0
    tap(databaseOf(server), (sql) => {
      if (sql === "BEGIN IMMEDIATE") tries++
    })
    const paying = server.post(request, header)
    await until("the store has tried twenty times", () => tries >= 20)
    other.run("COMMIT")
    expect((await paying).status).toBe(200)
  })

  test("for longer than the store waits gives 202 if the payment may be paid and 503 uncharged if not, and both end paid once", async () => {
    using other = new Database(bench.database.address)
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
    expect(await rowsOf(server, requests[1])).toEqual(UNTOUCHED)
    await reconcileUntilQuiet(healthy)
    expect(await bench.paid()).toBe(before + 1)
    const answers = await Promise.all(requests.map((request, i) => server.post(request, headers[i])))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await bench.paid()).toBe(before + 2)
    // With units that run twice, the store waits twice.
  }, 60_000)
})

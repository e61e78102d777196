/** An instance whose network no longer carries anything while it holds the order of the log and the lease of a payment. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { digestOf } from "../../../../src/core/digest.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { appendStatement } from "../../../../src/store/log/transparency-log.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../../fixtures/chain.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { newPostgresDatabase, type TestDatabase as Rows } from "../../../fixtures/postgres-schema.ts"
import { reconcileOnce } from "../../../fixtures/reconcile-round.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { databaseAt, type TestDatabase } from "../../../fixtures/test-database.ts"
import {
  enterBuyer,
  freshRequest,
  openTestServer,
  signedHeader,
  type TestServer,
  type TestServerOptions,
} from "../../../fixtures/test-server.ts"
import { until } from "../../../fixtures/until.ts"
import { type DatabaseProxy, databaseProxy } from "./database-proxy.ts"
import { lasting } from "./lasting.ts"

const test = slowTests(import.meta.path)

const CONTINUES_WITHIN_MS = 3_000

/** What a cut network does: nothing arrives, and no connection ends. */
const freeze = (way: DatabaseProxy) => way.judge(() => "LOSE")

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

describe.skipIf(!HAS_POSTGRES)(`an instance that is cut off${NOT_RUN}`, () => {
  let rows: Rows
  let chain: Chain
  const ended: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    rows = await newPostgresDatabase()
    chain = await startChain()
    await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
    await enterBuyer((await instance()).server)
  }, 60_000)
  afterAll(async () => {
    for (const end of ended.reverse()) await end()
    await chain.stop()
    await rows.drop()
  }, 60_000)

  /** A server with a way of its own to the database. */
  async function instance(options: TestServerOptions = {}) {
    const way = await databaseProxy(rows.url)
    const database: TestDatabase = databaseAt(way.url)
    const server = await openTestServer(database, chain, { leaseSeconds: 3, ...options })
    ended.push(async () => {
      await server.close()
      await database.close()
      way.close()
    })
    return { server, way }
  }
  const buy = async (server: TestServer) => {
    const request = freshRequest()
    return server.post(request, await signedHeader(server, request))
  }

  test("while it holds the order of the log: another one sells and appends within three seconds, it answers 503, and it sells again when the network is back", async () => {
    const [cut, other] = [await instance(), await instance()]
    for (const { server } of [cut, other]) expect((await buy(server)).status).toBe(200)
    const usualMs = await timeOf(() => buy(other.server))
    const refused = freshRequest()
    const header = await signedHeader(cut.server, refused)
    let isFrozen = false
    let hasOrder = false
    const held = cut.server.store.run(function* (): Unit<number> {
      const index = yield* appendStatement("CAPSULE", digestOf({ held: true }))
      hasOrder = true
      yield* lasting(() => isFrozen)
      return index
    }, "log")
    held.catch(() => {})
    await until("it holds the order", () => hasOrder)
    freeze(cut.way)
    isFrozen = true
    const begun = performance.now()
    const append = () => other.server.store.run(() => appendStatement("CAPSULE", digestOf({ other: true })), "log")
    const sell = async () => expect((await buy(other.server)).status).toBe(200)
    const [appendedMs, soldMs] = await Promise.all([timeOf(append), timeOf(sell)])
    expect(appendedMs).toBeLessThan(CONTINUES_WITHIN_MS)
    expect(soldMs).toBeLessThan(CONTINUES_WITHIN_MS + usualMs)
    const answer = await cut.server.post(refused, header)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ code: "STORE_UNAVAILABLE", charged: false }),
    ])
    if (process.env["BIZAUTH_SHOW"]) console.log({ usualMs, appendedMs, soldMs, refusedMs: performance.now() - begun })
    cut.way.judge(() => "PASS")
    await held.catch(() => {})
    await until("it sells again", async () => (await cut.server.post(refused, header)).status === 200, {
      withinMs: 20_000,
    })
  }, 90_000)

  test("while it holds the lease of a payment: another one takes it over after the lease, and the buyer is charged once", async () => {
    let stopAt = false
    const reserved = Promise.withResolvers<void>()
    const cut = await instance({
      trace: (step) => {
        if (step !== "broadcast" || !stopAt) return
        freeze(cut.way)
        reserved.resolve()
      },
    })
    const other = await instance()
    const request = freshRequest()
    const header = await signedHeader(cut.server, request)
    const before = (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
    stopAt = true
    const answering = cut.server.post(request, header).catch((error: unknown) => error)
    await reserved.promise
    const begun = performance.now()
    await until(
      "the other one delivers",
      async () => {
        await reconcileOnce(other.server.deps)
        return (await other.server.post(request, header)).status === 200
      },
      { withinMs: 20_000 },
    )
    if (process.env["BIZAUTH_SHOW"]) console.log({ takenOverMs: performance.now() - begun })
    expect((await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length).toBe(before + 1)
    const answer = await answering
    expect(answer).toBeInstanceOf(Response)
    expect([202, 503]).toContain((answer as Response).status)
    cut.way.judge(() => "PASS")
    await until("it gives out the same answer", async () => (await cut.server.post(request, header)).status === 200, {
      withinMs: 20_000,
    })
    expect((await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length).toBe(before + 1)
  }, 90_000)
})

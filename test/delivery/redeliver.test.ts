import { afterAll, beforeAll, describe, expect } from "bun:test"
import { DAY, MINUTE } from "../../src/core/time.ts"
import { referPurchase } from "../../src/store/sales/purchase-moves.ts"
import { listWaiting, referSold } from "../../src/store/sales/sold-answers.ts"
import { findSold } from "../../src/store/sales/sold-pages.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest } from "../fixtures/test-server.ts"
import { ANY, WHOLE } from "../store/sales/sold-rows.ts"
import { again, lateDecision } from "./late-decision.ts"
import { type Bench, clockMachine, openBench } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

describe("a decision that arrived expired", () => {
  test("is replaced once for the same obligation without payment, and the replacement can be recovered", async () => {
    const clock = clockMachine()
    const server = await bench.server({ machine: clock, settleWaitMs: 100 })
    const late = await lateDecision(bench, server, clock)
    const before = await bench.paid()
    clock.advance(5 * MINUTE)

    const request = again(late, clock)
    const answer = await server.post(request)
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as {
      decision: string
      billing: { settlement_reference: string }
      valid_until: string
    }
    expect(Date.parse(body.valid_until)).toBeGreaterThan(clock.now() + 30 * MINUTE)
    expect(["ALLOW", "ALLOW_WITH_CONDITIONS"]).toContain(body.decision)
    expect(await bench.paid()).toBe(before)
    // One payment, two answers.
    const tx = body.billing.settlement_reference.replace("eip155:8453/tx/", "").toLowerCase()
    await listWaiting(server.store)
    const { answers } = await findSold(server.store, { ...ANY, tx }, WHOLE)
    expect(answers.map(({ payer }) => payer)).toEqual([1, 2].map(() => request.decision_fee_payer.toLowerCase()))

    expect((await server.post(request)).status).toBe(409)
    const third = await server.post(again(late, clock))
    expect([third.status, ((await third.json()) as { code: string }).code]).toEqual([409, "REUSABLE_DECISION_EXISTS"])
    expect(await bench.paid()).toBe(before)
  })

  test("is listed with its replacement under the transaction to which their payment moved meanwhile", async () => {
    const clock = clockMachine()
    const server = await bench.server({ machine: clock, settleWaitMs: 100 })
    const late = await lateDecision(bench, server, clock)
    clock.advance(5 * MINUTE)
    const paid = await server.database.row<{ id: string; requestId: string }>(
      `SELECT id, request_id AS "requestId" FROM purchase WHERE state = 'ACQUIRED' ORDER BY created_at DESC LIMIT 1`,
    )
    const product = [...server.deps.products.values()][0]
    if (!product || !paid) throw new Error("no product, or no purchase")
    const tx = `0x${"c".repeat(64)}`
    const { compute } = product
    Object.assign(product, {
      compute: async (...values: Parameters<typeof compute>) => {
        await server.store.run(function* () {
          yield* referPurchase(paid.id, `eip155:8453/tx/${tx}`)
          yield* referSold(paid.requestId, `eip155:8453/tx/${tx}`)
        })
        return compute(...values)
      },
    })
    expect((await server.post(again(late, clock))).status).toBe(200)
    Object.assign(product, { compute })
    await listWaiting(server.store)
    expect((await findSold(server.store, { ...ANY, tx }, WHOLE)).answers).toHaveLength(2)
  })

  test("is not replaced while the late one can still be used, and the entitlement remains for later", async () => {
    const clock = clockMachine()
    const server = await bench.server({ machine: clock, settleWaitMs: 100 })
    const late = await lateDecision(bench, server, clock)
    const early = await server.post(again(late, clock))
    expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([409, "DECISION_IN_PROGRESS"])
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(0)
    clock.advance(5 * MINUTE)
    expect((await server.post(again(late, clock))).status).toBe(200)
  })

  test("entitles no other agent and no other obligation, and expires after a day", async () => {
    const clock = clockMachine()
    const server = await bench.server({ machine: clock, settleWaitMs: 100 })
    const late = await lateDecision(bench, server, clock)
    expect((await server.post(freshRequest({ at: clock.now() }))).status).toBe(402)
    clock.advance(DAY)
    expect((await server.post(again(late, clock))).status).toBe(402)
  })

  test("is replaced once, however many ask at the same time", async () => {
    const clock = clockMachine()
    const server = await bench.server({ machine: clock, settleWaitMs: 100 })
    const late = await lateDecision(bench, server, clock)
    clock.advance(5 * MINUTE)
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.post(again(late, clock))))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 402, 409].includes(status))).toBe(true)
  })

  test("leaves neither an answer nor a permanent hold when the process stops between claim and answer", async () => {
    const clock = clockMachine()
    const server = await bench.server({ machine: clock, settleWaitMs: 100, leaseSeconds: 1 })
    const late = await lateDecision(bench, server, clock)
    clock.advance(5 * MINUTE)
    const request = again(late, clock)
    // The state after kill -9 behind the claiming unit: the request and its holds, and nothing else.
    const stop = new Error("stopped")
    const product = [...server.deps.products.values()][0]
    if (!product) throw new Error("no product")
    const compute = product.compute
    const run = server.store.run.bind(server.store)
    let reject = false
    server.store.run = (unit) => (reject ? Promise.reject(stop) : run(unit))
    Object.assign(product, {
      compute: () => {
        reject = true
        throw stop
      },
    })
    expect((await server.post(request)).status).toBe(500)
    reject = false
    Object.assign(product, { compute })
    const counted = "SELECT kind, count(*) AS n FROM authority_hold WHERE spent = 0 GROUP BY kind"
    const holds = async () =>
      Object.fromEntries(
        (await server.database.rows<{ kind: string; n: number }>(counted)).map(({ kind, n }) => [kind, n]),
      )
    const identifiers = Object.keys(request.supplier.identifiers).length
    // The obligation is held under each identifier and the set, the supplier also under its name and entity id.
    const supplier = { OBLIGATION: identifiers + 1, SUPPLIER: identifiers + 3 }
    expect(await holds()).toEqual({ MANDATE_ID: 1, MANDATE_NONCE: 1, ...supplier })
    clock.advance(MINUTE)
    await reconcileOnce(server.deps)
    expect(await holds()).toEqual({})
    expect((await server.post(request)).status).toBe(200)
  })
})

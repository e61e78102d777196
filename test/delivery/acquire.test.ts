/** A purchase over the other rail, without its worker: what the shared unit does, and what the paid route says meanwhile. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { capsuleOf } from "../../src/core/capsule/capsule-in-body.ts"
import { type Acquisition, acquire } from "../../src/delivery/conclude.ts"
import type { PaidProduct, StoredRequest } from "../../src/delivery/sale.ts"
import { findDelivery, keepComputed } from "../../src/store/sales/deliveries.ts"
import { dropStrayHolds } from "../../src/store/sales/holds.ts"
import { movePurchase, openPurchase } from "../../src/store/sales/purchase-moves.ts"
import { findPurchase } from "../../src/store/sales/purchases.ts"
import { countAgainst, findEntitlement, findRequest, recordEntitlement } from "../../src/store/sales/requests.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { keptSums } from "../store/money-sums.ts"
import { type Bench, openBench, problemOf, rowsOf } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

const REFERENCE = "eip155:8453/0x238e541bfefd82238730d00a2208e5497f1832e0/job/7#0x01"

let bench: Bench
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterAll(() => bench.close())

interface Job {
  readonly id: string
  readonly request: DecisionRequest
  readonly header: Record<string, string>
  readonly stored: StoredRequest
  readonly product: PaidProduct
}

/** A purchase over the rail `acp` with its computed decision. Its request is known because a payment of it was given up before. */
async function liveJob(id: string): Promise<Job> {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await server.post(request, header)).status).toBe(503)
  await bench.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  const row = await server.database.row<{ id: string }>(
    "SELECT id FROM decision_request WHERE idempotency_key = ?1",
    request.idempotency_key,
  )
  const stored = await server.store.read(() => findRequest(row?.id ?? ""))
  const product = stored && server.deps.products.get(stored.product)
  if (!stored || !product) throw new Error("the request has no product")
  const now = Date.now()
  const createdAt = new Date(now).toISOString()
  const reserved = await server.store.run(function* () {
    const taken = yield* product.reserve(stored, now, "DECIDE")
    if ("refused" in taken) return taken
    yield* countAgainst(stored.id, taken.delegationsUsed)
    expect(yield* openPurchase({ id, requestId: stored.id, rail: "acp", createdAt })).toBe(true)
    return taken
  })
  if ("refused" in reserved) throw new Error(reserved.refused)
  const { snapshotIds, ...computed } = await product.compute(stored, reserved.records, now)
  await server.store.run(() => keepComputed({ ...computed, requestId: stored.id, purchaseId: id }, snapshotIds))
  return { id, request, header, stored, product }
}

const acquisitionOf = ({ id, stored }: Job, change: Partial<Acquisition> = {}): Acquisition => ({
  requestId: stored.id,
  rail: "acp",
  settlement: { network: "eip155:8453", reference: REFERENCE },
  paymentResponse: null,
  *railMove() {
    yield* movePurchase(id, "LIVE", "ACQUIRED", REFERENCE)
    return true
  },
  ...change,
})

describe("while another rail buys a request", () => {
  test("an unpaid call gets 202 with that rail and no quote", async () => {
    const { request } = await liveJob("job_unpaid")
    const answer = await server.post(request)
    expect(answer.status).toBe(202)
    expect(await answer.json()).toMatchObject({ rail: "acp", next_machine_action: "RETRY_RECOVERY" })
    expect([answer.headers.get("payment-required"), answer.headers.get("payment-response")]).toEqual([null, null])
    expect(answer.headers.get("retry-after")).toBe("2")
  })

  test("a payment gets the same 202, and is neither stored nor sent", async () => {
    const { request, header } = await liveJob("job_paid")
    const paid = await bench.paid()
    const attempts = (await rowsOf(server, request)).attempts
    for (const presented of [header, header]) {
      const answer = await server.post(request, presented)
      expect(answer.status).toBe(202)
      expect(await answer.json()).toMatchObject({ rail: "acp" })
    }
    expect((await rowsOf(server, request)).attempts).toBe(attempts)
    expect(await bench.paid()).toBe(paid)
  })

  test("its holds are not stray, its request counts once, and a second purchase of it cannot open", async () => {
    const days = async () => (await keptSums(server.database)).days
    const before = await days()
    const { request, stored, id } = await liveJob("job_held")
    const { holds } = await rowsOf(server, request)
    expect(holds).toBeGreaterThan(0)
    await server.store.run(() => dropStrayHolds("9999-01-01T00:00:00.000Z"))
    expect((await rowsOf(server, request)).holds).toBe(holds)
    const sum = (days: Readonly<Record<string, number>>) => Object.values(days).reduce((all, one) => all + one, 0)
    expect(sum(await days()) - sum(before)).toBe(1)
    const second = {
      id: "job_second",
      requestId: stored.id,
      rail: "acp",
      createdAt: "2026-01-01T00:00:00.000Z",
    } as const
    expect(await server.store.run(() => openPurchase(second))).toBe(false)
    await server.store.run(() => movePurchase(id, "LIVE", "ENDED", null))
    expect(sum(await days())).toBe(sum(before))
  })
})

describe("the unit that acquires over another rail", () => {
  test("stores nothing if the answer was delivered meanwhile", async () => {
    const job = await liveJob("job_delivered")
    const decided = await server.store.read(function* () {
      const [request, computed] = [yield* findRequest(job.stored.id), yield* findDelivery(job.stored.id)]
      if (!request || !computed) throw new Error("nothing is computed")
      return { request, computed }
    })
    await server.database.write("UPDATE delivery SET body = '{}' WHERE request_id = ?1", job.stored.id)
    await expect(acquire(server.deps, job.product, acquisitionOf(job, { decided }))).rejects.toThrow("delivered before")
    expect(await server.store.read(() => findPurchase(job.id))).toMatchObject({ state: "LIVE" })
    expect(await server.store.read(() => findRequest(job.stored.id))).toMatchObject({ state: "NEW" })
  })

  test("writes answer, entitlement and records, and the paid route then says that the request is acquired", async () => {
    const job = await liveJob("job_acquired")
    const answer = await acquire(server.deps, job.product, acquisitionOf(job))
    expect(await rowsOf(server, job.request)).toMatchObject({ computed: 0, delivered: 1 })
    expect(await server.store.read(() => findEntitlement(job.stored.requestDigest))).toEqual({
      requestId: job.stored.id,
      rail: "acp",
    })
    expect(await server.store.read(() => findPurchase(job.id))).toMatchObject({
      state: "ACQUIRED",
      reference: REFERENCE,
    })
    const stored = await server.database.row<{ body: string; capsuleJson: string; paymentResponse: string | null }>(
      `SELECT body, capsule_json AS "capsuleJson", payment_response AS "paymentResponse" FROM delivery WHERE request_id = ?1`,
      job.stored.id,
    )
    if (stored === null) throw new Error("nothing was stored")
    expect(answer).toEqual({ ...stored, capsuleJson: capsuleOf(stored) })
    expect(stored.paymentResponse).toBeNull()
    expect(JSON.parse(stored.body)).toMatchObject({ billing: { settlement_reference: REFERENCE } })
    expect(
      await server.database.row(
        "SELECT payer, tx, product, decision FROM sold_waiting WHERE request_id = ?1",
        job.stored.id,
      ),
    ).toEqual({
      payer: job.request.decision_fee_payer.toLowerCase(),
      tx: "0x01",
      product: job.product.id,
      decision: JSON.parse(stored.body).decision,
    })
    const unpaid = await server.post(job.request)
    expect([unpaid.status, (await problemOf(unpaid)).code]).toEqual([409, "ALREADY_ACQUIRED"])
    const paid = await bench.paid()
    const presented = await server.post(job.request, job.header)
    expect([presented.status, (await problemOf(presented)).code]).toEqual([409, "ALREADY_ACQUIRED"])
    expect(await bench.paid()).toBe(paid)
  })

  test("stores nothing when the rail's record belongs to another worker", async () => {
    const job = await liveJob("job_slow")
    const slow = acquisitionOf(job, {
      // biome-ignore lint/correctness/useYield: this rail has no statement to run.
      *railMove() {
        return false
      },
    })
    expect(await acquire(server.deps, job.product, slow)).toBeNull()
    expect(await rowsOf(server, job.request)).toMatchObject({ computed: 1, delivered: 0 })
    expect(await server.database.count("sold_waiting", "request_id = ?1", job.stored.id)).toBe(0)
  })

  test("changes nothing for a second worker: the first one's answer counts", async () => {
    const job = await liveJob("job_twice")
    expect(await acquire(server.deps, job.product, acquisitionOf(job))).toMatchObject({ body: expect.any(String) })
    const body = () => server.database.row("SELECT body FROM delivery WHERE request_id = ?1", job.stored.id)
    const before = await body()
    expect(await acquire(server.deps, job.product, acquisitionOf(job))).toBeNull()
    expect(await body()).toEqual(before)
  })

  test("is rolled back whole when the signed request was sold to another request", async () => {
    const [job, other] = [await liveJob("job_sold"), await liveJob("job_other")]
    const at = "2026-01-01T00:00:00.000Z"
    await server.store.run(() => recordEntitlement(job.stored.requestDigest, "x402", other.stored.id, at))
    const acquiring = acquire(server.deps, job.product, acquisitionOf(job))
    expect(acquiring).rejects.toThrow("sold to another request")
    await acquiring.catch(() => undefined)
    expect(await rowsOf(server, job.request)).toMatchObject({ computed: 1, delivered: 0 })
    expect(await server.store.read(() => findPurchase(job.id))).toMatchObject({ state: "LIVE", reference: null })
  })
})

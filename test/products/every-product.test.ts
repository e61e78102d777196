/** Rules that hold for every paid product, tested on each product of the catalogue. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../src/base/errors.ts"
import type { ErrorCode } from "../../src/base/refusals.ts"
import { parseAmount } from "../../src/core/money.ts"
import { policyInForce } from "../../src/products/common/answer-rules.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { frontRun } from "../delivery/selling-bench.ts"
import { type Purchase, signedFor } from "../fixtures/answers.ts"
import { invalidBodies } from "../fixtures/invalid-bodies.ts"
import { sample } from "../fixtures/long.ts"
import { EACH_PRODUCT, PRODUCT_ROWS, type ProductRow, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { expectReused, expectUndecided, firstCopy, reasonsOf, refusalOf } from "./expected-refusals.ts"
import { openProductServers, type ProductServers, present } from "./product-servers.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)
const CLIENTS = 20

let servers: ProductServers
beforeAll(async () => {
  servers = await openProductServers()
})
afterAll(() => servers.close())

const send = (row: ProductRow, body: object, payment: Record<string, string> = {}, server = servers.servers[0]) => {
  const { path, body: text, headers } = purchaseOf(row, body)
  return server.post(text, { ...headers, ...payment }, path)
}

test("every paid product of the catalogue has its row, and every row has its product", () => {
  const sold = ANSWER_RULES.map(({ id, path, price }) => ({ id, path, price }))
  const rows = PRODUCT_ROWS.filter(({ id }) => id !== PAYMENT_DECISION_PRODUCT)
  expect(rows.map(({ id, path, price }) => ({ id, path, price })).sort(byId)).toEqual(sold.sort(byId))
  expect(PRODUCT_ROWS.length).toBe(rows.length + 1)
  for (const rules of ANSWER_RULES) {
    const row = PRODUCT_ROWS.find(({ id }) => id === rules.id)
    // The others are about evidence of the request, which every caller sends itself.
    const codes = policyInForce(rules)
      .uncharged.map(({ code }) => code)
      .filter((code) => code.startsWith("SOURCE_"))
    expect(new Set(row?.sourceFaults.map(({ code }) => code))).toEqual(new Set(codes))
  }
})

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

describe.each(sample(EACH_PRODUCT, 3))("%s", (_, row) => {
  test("an invalid body is never quoted, with or without a payment, and uses no payment", async () => {
    const whole = row.body()
    const payment = await signedFor(servers.servers[0], purchaseOf(row, whole))
    const before = await servers.traces()
    const invalid = [...invalidBodies(row.request, whole)]
    // At least one fault in the place of each member, one for its absence, and one for a member too many.
    expect(invalid.length).toBeGreaterThan(2 * Object.keys(whole).length)
    for (const { pointer, body } of invalid) {
      for (const header of [{}, payment]) {
        const answer = await send(row, body as object, header)
        const { code, charged } = await refusalOf(answer)
        expect([pointer, answer.status, code, charged]).toEqual([pointer, 422, "SCHEMA_INVALID", false])
        expect(answer.headers.get("payment-required")).toBeNull()
      }
    }
    for (const [code, body] of Object.values(row.refused)) {
      for (const header of [{}, payment]) {
        const answer = await send(row, body(), header)
        const refusal = await refusalOf(answer)
        const { status } = new ServiceError(code, "").refusal
        expect([answer.status, refusal.code, refusal.charged]).toEqual([status, code, false])
        expect(answer.headers.get("payment-required")).toBeNull()
      }
    }
    expect(await servers.traces()).toEqual(before)
    // The payment was never used, so it still buys what it was signed for.
    expect((await present(servers.servers[0], purchaseOf(row, whole), payment)).status).toBe(200)
  })

  test(`the same key and body from ${CLIENTS} simultaneous clients of two servers: one charge and equal answers`, async () => {
    const purchase = purchaseOf(row, row.body())
    const server = (index: number) => servers.servers[index % 2 === 0 ? 0 : 1]
    const shared = await signedFor(servers.servers[0], purchase)
    // Every second client presents the same payment, and the others bring their own.
    const payments = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => (index % 4 < 2 ? shared : signedFor(server(index), purchase))),
    )
    const before = await servers.traces()
    const answers = await Promise.all(payments.map((payment, index) => present(server(index), purchase, payment)))
    expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200))
    const said = await Promise.all(answers.map(async (answer) => firstCopy((await answer.json()) as object)))
    expect(new Set(said).size).toBe(1)
    const after = await servers.traces()
    expect(after).toMatchObject({
      transfers: before.transfers + 1,
      requests: before.requests + 1,
      attempts: before.attempts + 1,
      transactions: before.transactions + 1,
      deliveries: before.deliveries + 1,
      leaves: before.leaves + 1,
    })
    expect((await servers.paid()).at(-1)?.value).toBe(parseAmount(row.price) ?? 0n)
  })

  test("the same key with another body gets 409 and pays nothing", async () => {
    const body = row.body()
    const bought = await present(
      servers.servers[0],
      purchaseOf(row, body),
      await signedFor(servers.servers[0], purchaseOf(row, body)),
    )
    expect(bought.status).toBe(200)
    const other = row.otherBody(body as never)
    expect(other.idempotency_key).toBe(body.idempotency_key)
    const before = await servers.traces()
    const unpaid = await send(row, other)
    if (unpaid.status === 402) {
      // Only the payment shows who owns the key.
      const payment = await signedFor(servers.servers[0], purchaseOf(row, other))
      await expectReused(await send(row, other, payment))
      await expectReused(await send(row, other, payment, servers.servers[1]))
    } else {
      await expectReused(unpaid)
    }
    expect(await servers.traces()).toEqual(before)
  })

  test.each(row.sourceFaults.map((fault) => [fault.source, fault.code, fault] as const))(
    "%s, %s: no quote, no charge and no row, also when it fails after the payment was reserved; then the payment buys",
    async (_source, code, { broken }) => {
      const purchase = purchaseOf(row, row.body())
      const payment = await signedFor(servers.servers[0], purchase)
      const before = await servers.traces()
      await servers.broken(broken, async () => {
        for (const header of [{}, payment]) {
          const answer = await present(servers.servers[0], purchase, header)
          expect(answer.headers.get("payment-required")).toBeNull()
          expect(answer.headers.get("payment-response")).toBeNull()
          await expectUndecided(row, answer, code)
        }
      })
      expect(await servers.traces()).toEqual(before)
      await servers.broken({}, async () => {
        servers.breakAfterReserve(broken)
        await expectUndecided(row, await present(servers.servers[0], purchase, payment), code)
      })
      // The stored rows say that this payment was presented and released. There is no answer, and nothing was sent.
      const given = { requests: before.requests + 1, attempts: before.attempts + 1 }
      expect(await servers.traces()).toEqual({ ...before, ...given })
      expect((await present(servers.servers[1], purchase, payment)).status).toBe(200)
      expect((await servers.traces()).transfers).toBe(before.transfers + 1)
    },
  )

  test.each(Object.entries(row.contended))(
    "of two requests that need %s the second must wait and pays nothing, and the first is delivered",
    async (_what, { bodies, afterwards }) => {
      const [first, second] = servers.servers
      const [mine, theirs] = bodies(2).map((body) => purchaseOf(row, body)) as [Purchase, Purchase]
      const [payment, other] = [await signedFor(first, mine), await signedFor(second, theirs)]
      const before = await servers.traces()
      const held = servers.holdAfterReserve()
      const answer = present(first, mine, payment)
      await held.reserved
      const refused = await second.post(theirs.body, { ...theirs.headers, ...other }, theirs.path)
      const { code, charged } = await refusalOf(refused)
      expect([refused.status, code, charged]).toEqual([409, "DECISION_IN_PROGRESS", false])
      expect(refused.headers.get("retry-after")).not.toBeNull()
      held.goOn()
      const reason = "reason" in afterwards ? afterwards.reason : null
      expect(await reasonsOf(await answer)).not.toContain(reason)
      expect((await servers.traces()).transfers).toBe(before.transfers + 1)
      const later = await present(second, theirs, other)
      if ("reason" in afterwards) {
        expect(await reasonsOf(later)).toContain(afterwards.reason)
      } else {
        const { code, charged } = await refusalOf(later)
        expect([later.status, code, charged]).toEqual([409, afterwards.refusal, false])
        expect((await servers.traces()).transfers).toBe(before.transfers + 1)
      }
    },
  )

  test.each(Object.entries(row.contended))(
    "a payment that was released and then paid by a stranger, while another request holds %s, gets 202 and is delivered later",
    async (_what, { bodies }) => {
      const [first, second] = servers.servers
      const [mine, theirs] = bodies(2).map((body) => purchaseOf(row, body)) as [Purchase, Purchase]
      const [payment, other] = [await signedFor(first, mine), await signedFor(second, theirs)]
      const before = await servers.traces()
      await servers.broken({}, async () => {
        servers.breakAfterReserve(row.sourceFaults[0]?.broken ?? {})
        expect((await present(first, theirs, other)).headers.get("payment-response")).toBeNull()
      })
      await frontRun(servers.chain, other)
      const held = servers.holdAfterReserve()
      const answer = present(first, mine, payment)
      await held.reserved
      const waiting = await second.post(theirs.body, { ...theirs.headers, ...other }, theirs.path)
      expect([waiting.status, ((await waiting.json()) as { charged: string }).charged]).toEqual([202, "UNKNOWN"])
      held.goOn()
      expect((await answer).status).toBe(200)
      expect((await present(second, theirs, other)).status).toBe(200)
      expect((await servers.traces()).transfers).toBe(before.transfers + 2)
    },
  )

  test.each(Object.entries(row.contended))(
    "many simultaneous requests that need %s give as many charges as answers, and all answers but one name the conflict",
    async (_what, { bodies, afterwards }) => {
      const purchases = bodies(8).map((body) => purchaseOf(row, body))
      const server = (index: number) => servers.servers[index % 2 === 0 ? 0 : 1]
      const payments = await Promise.all(purchases.map((purchase, index) => signedFor(server(index), purchase)))
      const before = await servers.traces()
      const answers = await Promise.all(
        purchases.map((purchase, index) => present(server(index), purchase, payments[index] ?? {})),
      )
      const delivered = answers.filter(({ status }) => status === 200)
      const reasons = await Promise.all(delivered.map(reasonsOf))
      const reason = "reason" in afterwards ? afterwards.reason : ""
      expect(reasons.filter((codes) => !codes.includes(reason)).length).toBe(1)
      const refusals: ErrorCode[] = ["DECISION_IN_PROGRESS"]
      if ("refusal" in afterwards) refusals.push(afterwards.refusal)
      for (const refused of answers.filter(({ status }) => status !== 200)) {
        expect(refused.status).toBe(409)
        expect(refusals).toContain((await refusalOf(refused)).code)
      }
      const after = await servers.traces()
      expect([after.transfers, after.deliveries]).toEqual([
        before.transfers + delivered.length,
        before.deliveries + delivered.length,
      ])
    },
  )

  test("a repeated answer, however often and by any route, needs no source, no signature, no node and no write", async () => {
    const { counting } = servers
    const body = row.body()
    const purchase = purchaseOf(row, body)
    const payment = await signedFor(counting, purchase)
    const opened = servers.counts()
    const bought = await present(counting, purchase, payment)
    const text = await bought.text()
    expect([bought.status, text.length > 0]).toEqual([200, true])
    // Control of the counters: a sale asks and signs.
    for (const [name, n] of Object.entries(servers.counts()))
      expect([name, n > opened[name as "rpc"]]).toEqual([name, true])

    const before = { counts: servers.counts(), traces: await servers.traces() }
    const again = await present(counting, purchase, payment)
    expect(firstCopy((await again.json()) as object)).toBe(firstCopy(JSON.parse(text)))
    if (row.recovery) {
      const recovered = await counting.post(row.recovery(body as never), {}, `${row.path}/recover`)
      expect([recovered.status, await recovered.text()]).toEqual([200, text])
    } else {
      const { execution_id: id } = JSON.parse(text) as { execution_id: string }
      const route = `/v1/${row.country.toLowerCase()}/executions/${id}`
      const [answer, repeated, proof] = [
        await counting.get(route),
        await counting.get(route),
        await counting.get(`${route}/proof`),
      ]
      const copy = await answer.text()
      expect(await repeated.text()).toBe(copy)
      expect(firstCopy(JSON.parse(copy))).toBe(firstCopy(JSON.parse(text)))
      expect(JSON.parse(copy)).toMatchObject({ replayed: true, economic_activity: { charged: true } })
      expect(Buffer.from(await proof.text()).toString("base64url")).toBe(bought.headers.get("svc-proof-capsule") ?? "")
      const other = row.country === "GB" ? "us" : "gb"
      expect((await counting.get(`/v1/${other}/executions/${id}`)).status).toBe(404)
    }
    expect({ counts: servers.counts(), traces: await servers.traces() }).toEqual(before)
  })
})

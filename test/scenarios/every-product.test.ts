/**
 * Every paid product on two server processes with one data directory: charged once however often it is requested, and finished when one of
 * them dies.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openBeside } from "../../db/open.ts"
import type { Running } from "../fixtures/binary.ts"
import {
  openProductOperator,
  type ProductSale,
  paymentAt,
  postTo,
  presentTo,
  SERVICE_FLAGS,
  SHORT_LEASES,
  saleOfEach,
  servePair,
  settlingIn,
} from "../fixtures/product-operator.ts"
import { PRODUCT_ROWS, purchaseOf } from "../fixtures/products.ts"
import { SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { until } from "../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)
const CLIENTS = 20
const ALL = PRODUCT_ROWS.length

let operator: TestOperator
let servers: [Running, Running]
beforeAll(async () => {
  operator = await openProductOperator()
  // Long leases: on a busy machine a server can lose a short one, and then another authorization takes its request.
  servers = await servePair(operator, SERVICE_FLAGS)
})
afterAll(() => operator[Symbol.asyncDispose]())

/** An answer that was delivered. */
let bought = ""
const paid = async () => (await operator.transfers()).length

/** The number of requests, attempts and finished deliveries of each sale. */
function rowsOf(sales: readonly ProductSale[]): Record<string, object> {
  using database = openBeside(join(operator.data, "bizauth.db"))
  const rows = database.query<{ requests: number; attempts: number; deliveries: number }, [string]>(
    `SELECT count(DISTINCT r.id) AS requests, count(DISTINCT a.id) AS attempts, count(DISTINCT d.request_id) AS deliveries
     FROM decision_request r LEFT JOIN payment_attempt a ON a.request_id = r.id
     LEFT JOIN delivery d ON d.request_id = r.id AND d.body IS NOT NULL WHERE r.idempotency_key = ?1`,
  )
  const keyOf = ({ purchase }: ProductSale) =>
    (JSON.parse(purchase.body as string) as { idempotency_key: string }).idempotency_key
  return Object.fromEntries(sales.map((sale) => [sale.row.id, rows.get(keyOf(sale)) ?? {}]))
}

/** The part that all copies of one answer share, and no other answer has. */
const deliveryOf = (text: string): string => {
  const answer = JSON.parse(text) as { delivery_id?: string; delivery?: { delivery_reference: string } }
  return answer.delivery_id ?? answer.delivery?.delivery_reference ?? ""
}
const ONE_OF_EACH = Object.fromEntries(PRODUCT_ROWS.map(({ id }) => [id, { requests: 1, attempts: 1, deliveries: 1 }]))

test(`${CLIENTS} simultaneous clients of each product on two servers get one charge and one answer per product`, async () => {
  const [first, second] = servers
  const sales = await saleOfEach(first.origin)
  const others = await Promise.all(sales.map(({ purchase }) => paymentAt(second.origin, purchase)))
  const before = await paid()
  const answers = await Promise.all(
    sales.map(({ purchase, payment }, sale) =>
      Promise.all(
        Array.from({ length: CLIENTS }, (_, client) =>
          // Every fourth client brings another authorization of the same payer.
          presentTo(servers[client % 2]?.origin ?? "", purchase, client % 4 === 3 ? (others[sale] ?? {}) : payment),
        ),
      ),
    ),
  )
  expect(await paid()).toBe(before + ALL)
  bought = answers[0]?.[0] ?? ""
  for (const copies of answers) expect(new Set(copies.map(deliveryOf)).size).toBe(1)
  expect(new Set(answers.map(([copy = ""]) => deliveryOf(copy))).size).toBe(ALL)
  expect(rowsOf(sales)).toEqual(ONE_OF_EACH)
})

test("when a server is killed while all products wait for their block, the other one finishes them, and a later one returns the same", async () => {
  for (const server of servers) await server.stop()
  servers = await servePair(operator, SHORT_LEASES)
  const [dying, survivor] = servers
  const sales = await saleOfEach(dying.origin)
  const before = await paid()
  await operator.chain.setAutomine(false)
  const cut = Promise.allSettled(sales.map(({ purchase, payment }) => postTo(dying.origin, purchase, payment)))
  // The test does not count broadcasts: a server repeats one, so nine may be of eight payments.
  await until("every payment is signed and stored", () => settlingIn(operator) >= ALL)
  await dying.kill()
  expect(new Set((await cut).map(({ status }) => status))).toEqual(new Set(["rejected"]))
  await operator.chain.setAutomine(true)
  await operator.chain.mine(1)

  const answers = await Promise.all(sales.map(({ purchase, payment }) => presentTo(survivor.origin, purchase, payment)))
  expect(await paid()).toBe(before + ALL)
  expect(rowsOf(sales)).toEqual(ONE_OF_EACH)
  servers = [await operator.serve(SHORT_LEASES), survivor]
  for (const [index, { row, purchase, payment }] of sales.entries()) {
    expect(deliveryOf(await presentTo(servers[0].origin, purchase, payment))).toBe(deliveryOf(answers[index] ?? ""))
    if (row.recovery !== null) continue
    const { execution_id: id } = JSON.parse(answers[index] ?? "") as { execution_id: string }
    const path = `/v1/${row.country.toLowerCase()}/executions/${id}`
    const copies = await Promise.all(
      servers.map(async ({ origin }) => {
        const answer = await fetch(origin + path)
        expect(answer.status).toBe(200)
        return answer.text()
      }),
    )
    expect(copies[0]).toBe(copies[1] ?? "")
    expect(deliveryOf(copies[0] ?? "")).toBe(deliveryOf(answers[index] ?? ""))
  }
  expect(await paid()).toBe(before + ALL)
})

/** One refused value of each kind: IBAN, UK account, card. All are invented. */
const BANK_DATA = ["GB82 WEST 1234 5698 7654 32", "12-34-56 87654321", "4111 1111 1111 1111"] as const

/** The body once for every text in it, with `planted` in place of that text. */
function* planting(value: unknown, planted: string): Generator<unknown> {
  if (typeof value === "string") yield `paid to ${planted}, thanks`
  if (typeof value !== "object" || value === null) return
  for (const [name, member] of Object.entries(value)) {
    for (const changed of planting(member, planted)) {
      yield Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }
    }
  }
}

test("bank data in any text of any body is refused, and appears in no response, no log and no file", async () => {
  const [{ origin }] = servers
  const before = await paid()
  for (const { row, purchase, payment } of await saleOfEach(origin)) {
    const whole = JSON.parse(purchase.body as string)
    const planted = BANK_DATA.flatMap((text) => [...planting(whole, text)]) as object[]
    const codes = await Promise.all(
      planted.map(async (body, index) => {
        const answer = await postTo(origin, purchaseOf(row, body), index % 2 === 0 ? {} : payment)
        const { code, charged } = await expectClean(answer)
        expect([row.id, answer.status, charged]).toEqual([row.id, 422, false])
        return code
      }),
    )
    // The first error where a text has its own form, the second wherever it is free, the others where it names the service's coverage.
    const expected = ["SCHEMA_INVALID", "RAW_BANK_DATA_REJECTED"]
    if ("jurisdiction" in whole) expected.push("COVERAGE_UNSUPPORTED")
    if ("intent" in whole) expected.push("INTENT_UNSUPPORTED")
    expect(new Set(codes)).toEqual(new Set(expected))
  }
  expect(await paid()).toBe(before)
  for (const server of servers) expectNone(server.out() + server.err())
  expectNone(filesUnder(operator.data))
  for (const server of servers) await server.stop()
  const kept = filesUnder(operator.data)
  // Control of the search: it finds the bought answer, which is stored.
  expect(kept).toContain(deliveryOf(bought))
  expectNone(kept)
})

async function expectClean(answer: Response): Promise<{ code: string; charged: boolean }> {
  const text = await answer.text()
  expectNone(text + JSON.stringify([...answer.headers]))
  return JSON.parse(text)
}

function expectNone(text: string): void {
  for (const planted of BANK_DATA) {
    for (const written of [planted, planted.replaceAll(" ", ""), planted.replaceAll(/[ -]/g, "")]) {
      expect(text.includes(written)).toBe(false)
    }
  }
}

/** Every byte under the directory, so that a search finds bytes as they are. */
function filesUnder(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n")
}

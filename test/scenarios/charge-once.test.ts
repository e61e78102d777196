/**
 * However often and on whichever server one request is paid, it is charged once: two server processes on one data directory and one chain.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { openBeside } from "../../db/open.ts"
import {
  ask,
  keepDelivery,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type TestOperator,
} from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

// One address sends the requests of fifty. Both servers are one service with one name.
const FLAGS = ["--rate-limits", "off", "--base-url", "http://bizauth.example"]

let operator: TestOperator
let origins: readonly [string, string]
beforeAll(async () => {
  operator = await openTestOperator()
  const [first, second] = [await operator.serve(FLAGS), await operator.serve(FLAGS)]
  origins = [first.origin, second.origin]
})
afterAll(() => operator[Symbol.asyncDispose]())

const either = (index: number) => origins[index % 2 === 0 ? 0 : 1]

/** Rows about one idempotency key. */
function rowsOf(key: string): Record<string, number> {
  using database = openBeside(join(operator.data, "bizauth.db"))
  const count = (table: string, column: string) =>
    database
      .query<{ n: number }, [string]>(
        `SELECT count(*) AS n FROM ${table} WHERE ${column} IN (SELECT id FROM decision_request WHERE idempotency_key = ?1)`,
      )
      .get(key)?.n ?? -1
  return {
    requests: count("decision_request", "id"),
    attempts: count("payment_attempt", "request_id"),
    deliveries: count("delivery", "request_id"),
  }
}

const ONE_OF_EACH = { requests: 1, attempts: 1, deliveries: 1 }

test("fifty equal simultaneous paid requests to two servers give one transfer, one decision and fifty equal responses", async () => {
  const signed = await operator.sign()
  const header = await paymentFor(origins[0], signed)
  const before = (await operator.transfers()).length
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => present(either(index), signed, header)))
  const bodies = new Set(answers.map(({ bytes }) => bytes))
  expect(bodies.size).toBe(1)
  const paid = await operator.transfers()
  expect(paid.length).toBe(before + 1)
  expect(new Set(answers.map(({ transaction }) => transaction))).toEqual(new Set([paid.at(-1)?.hash as string]))
  expect(rowsOf(signed.request.idempotency_key)).toEqual(ONE_OF_EACH)
  const [bytes = ""] = bodies
  expect((await operator.verify(keepDelivery(operator, "fifty", bytes))).exit).toBe(0)
})

test("of ten different authorizations sent together for one request to two servers one is used, and the others pay nothing", async () => {
  const signed = await operator.sign()
  const headers = await Promise.all(Array.from({ length: 10 }, (_, index) => paymentFor(either(index), signed)))
  expect(new Set(headers.map((header) => header["payment-signature"])).size).toBe(10)
  const before = (await operator.transfers()).length
  const answers = await Promise.all(headers.map((header, index) => present(either(index), signed, header)))
  expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1)
  expect((await operator.transfers()).length).toBe(before + 1)
  expect(rowsOf(signed.request.idempotency_key)).toEqual(ONE_OF_EACH)
})

test("one authorization presented together for two requests on two servers pays for one of them only", async () => {
  const [bought, other] = [await operator.sign(), await operator.sign()]
  const header = await paymentFor(origins[0], bought)
  const before = (await operator.transfers()).length
  const [mine, theirs] = await Promise.all([
    present(origins[0], bought, header),
    ask(origins[1], other.request, header),
  ])
  expect(mine.bytes).toContain('"decision":"ALLOW"')
  // Its quote names the other body, so the authorization is refused before it is looked up.
  expect(theirs.status).toBe(402)
  expect((await operator.transfers()).length).toBe(before + 1)
  expect(rowsOf(other.request.idempotency_key)).toEqual({ requests: 0, attempts: 0, deliveries: 0 })
})

test("eight different requests paid together on two servers give eight transfers and eight decisions", async () => {
  const signed = []
  for (let index = 0; index < 8; index++) signed.push(await operator.sign())
  const headers = await Promise.all(signed.map((one, index) => paymentFor(either(index), one)))
  const before = (await operator.transfers()).length
  const answers = await Promise.all(
    signed.map((one, index) => present(either(index), one, headers[index] as Record<string, string>)),
  )
  const paid = (await operator.transfers()).slice(before)
  expect(paid.length).toBe(8)
  expect(new Set(answers.map(({ transaction }) => transaction))).toEqual(
    new Set(paid.map(({ hash }) => hash as string)),
  )
  const decisions = answers.map(({ bytes }) => (JSON.parse(bytes) as { decision_id: string }).decision_id)
  expect(new Set(decisions).size).toBe(8)
  for (const { request } of signed) expect(rowsOf(request.idempotency_key)).toEqual(ONE_OF_EACH)
})

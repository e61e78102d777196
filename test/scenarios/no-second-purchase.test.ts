/**
 * Rule 8 on two server processes with one data directory: of all requests for one payment one is sold while its answer is valid, whichever
 * process gets them or dies, and no other is ever charged.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import type { PaymentRequired } from "../../schemas/x402.ts"
import type { Purchase } from "../fixtures/answers.ts"
import type { Running } from "../fixtures/binary.ts"
import {
  openProductOperator,
  paymentAt,
  postTo,
  presentTo,
  SERVICE_FLAGS,
  SHORT_LEASES,
  servePair,
  settlingIn,
} from "../fixtures/product-operator.ts"
import { purchaseOf } from "../fixtures/products.ts"
import { SAME_PAYMENTS, type SamePayments } from "../fixtures/same-payments.ts"
import { SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { decodeHeader } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

let operator: TestOperator
let servers: [Running, Running]
beforeAll(async () => {
  operator = await openProductOperator()
  // Long leases: on a busy machine a server can lose a short one, and then the paid call ends with 503.
  servers = await servePair(operator, SERVICE_FLAGS)
})
afterAll(() => operator[Symbol.asyncDispose]())

interface Sale {
  readonly purchase: Purchase
  readonly payment: Record<string, string>
}

const paid = async () => (await operator.transfers()).length
const originOf = (index: number) => servers[index % 2 === 0 ? 0 : 1].origin

/** `count` requests for one payment, each with its own signed payment, which is not paid yet. */
async function sales({ row, bodies }: SamePayments, count: number): Promise<Sale[]> {
  const purchases = bodies(count).map((body) => purchaseOf(row, body))
  return Promise.all(
    purchases.map(async (purchase, index) => ({ purchase, payment: await paymentAt(originOf(index), purchase) })),
  )
}

interface Refusal {
  readonly code: string
  readonly charged: boolean
  readonly decision_id?: string
}

async function present(
  origin: string,
  { purchase, payment }: Sale,
): Promise<{ status: number; body: Refusal; text: string }> {
  for (;;) {
    const answer = await postTo(origin, purchase, payment)
    const text = await answer.text()
    if (answer.status !== 202) return { status: answer.status, body: JSON.parse(text), text }
    await Bun.sleep(50)
  }
}

/** The id by which a refusal names the answer. */
const idOf = (text: string): string => {
  const answer = JSON.parse(text) as { decision_id?: string; execution_id?: string }
  return answer.decision_id ?? answer.execution_id ?? ""
}

async function expectCovered(origin: string, sale: Sale, id: string): Promise<void> {
  const { status, body } = await present(origin, sale)
  expect([status, body.code, body.charged, body.decision_id]).toEqual([409, "REUSABLE_DECISION_EXISTS", false, id])
}

describe.each(SAME_PAYMENTS)("%s", (_, same) => {
  const { row } = same
  const isDecision = row.recovery !== null

  test("eight simultaneous requests for one payment give one charge and one answer, and the others get none, then or later", async () => {
    const all = await sales(same, 8)
    const before = await paid()
    const answers = await Promise.all(all.map((sale, index) => present(originOf(index), sale)))
    const [bought, ...more] = answers.filter(({ status }) => status === 200)
    expect([bought?.status, more]).toEqual([200, []])
    for (const { status, body } of answers.filter((answer) => answer !== bought)) {
      expect([status, body.charged]).toEqual([409, false])
      expect(["DECISION_IN_PROGRESS", "REUSABLE_DECISION_EXISTS"]).toContain(body.code)
    }
    expect(await paid()).toBe(before + 1)
    const id = idOf(bought?.text ?? "")
    for (const [index, sale] of all.entries()) {
      if (answers[index] !== bought) await expectCovered(originOf(index + 1), sale, id)
    }
    expect(await paid()).toBe(before + 1)
  })

  test("while one server sells, the other gives no quote after the answer and accepts no payment for an older quote", async () => {
    const [first, second, asking] = await sales(same, 3)
    if (!first || !second || !asking) throw new Error("three sales were made")
    const [selling, other] = servers
    const before = await paid()
    let isSold = false
    const seen: { status: number; wasSold: boolean; isEligible: boolean }[] = []
    const requests = (async () => {
      for (let last = false; !last; ) {
        // Sold before the call began, so the response is about the time after the sale.
        last = isSold
        const wasSold = isSold
        const quote = await postTo(other.origin, asking.purchase)
        const eligibility = await postTo(other.origin, {
          ...asking.purchase,
          path: `${row.path}/eligibility`,
          headers: {},
        })
        const { eligible } = (await eligibility.json()) as { eligible: boolean }
        seen.push({ status: quote.status, wasSold, isEligible: eligible })
        if (quote.status === 402) decodeHeader<PaymentRequired>(quote.headers.get("payment-required"))
        await quote.arrayBuffer()
      }
    })()
    const { text } = await present(selling.origin, first)
    isSold = true
    await requests
    const id = idOf(text)
    const after = seen.at(-1)
    if (isDecision) {
      expect(seen[0]?.status === 402 || seen[0]?.status === 409).toBe(true)
      expect(after).toEqual({ status: 409, wasSold: true, isEligible: false })
    } else {
      // The payer is unknown until a payment's signature has verified.
      expect(after).toEqual({ status: 402, wasSold: true, isEligible: true })
    }
    await expectCovered(other.origin, second, id)
    await expectCovered(selling.origin, asking, id)
    expect(await paid()).toBe(before + 1)
  })

  test("equal calls all get a bought answer, and are all refused a forbidden one", async () => {
    const [first, second] = await sales(same, 2)
    if (!first || !second) throw new Error("two sales were made")
    const before = await paid()
    const equal = (sale: Sale) =>
      Promise.all(Array.from({ length: 8 }, (_one, index) => present(originOf(index), sale)))
    const bought = await equal(first)
    const id = idOf(bought[0]?.text ?? "")
    expect(bought.map(({ status, text }) => [status, idOf(text)])).toEqual(Array(8).fill([200, id]))
    const refused = await equal(second)
    expect(refused.map(({ status, body }) => [status, body.code, body.charged])).toEqual(
      Array(8).fill([409, "REUSABLE_DECISION_EXISTS", false]),
    )
    // Both once more, at the same time.
    const mixed = await Promise.all([...Array(4)].flatMap(() => [equal(first), equal(second)]))
    expect(new Set(mixed.flat().map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(await paid()).toBe(before + 1)
  })
})

describe("while a killed server's payment waits for a block no other is sold; afterwards its answer is the valid one:", () => {
  beforeAll(async () => {
    for (const server of servers) await server.stop()
    servers = await servePair(operator, SHORT_LEASES)
  })

  test.each(SAME_PAYMENTS)("%s", async (_, same) => {
    const [first, second, third] = await sales(same, 3)
    if (!first || !second || !third) throw new Error("three sales were made")
    const [dying, survivor] = servers
    const before = await paid()
    await operator.chain.setAutomine(false)
    const cut = Promise.allSettled([postTo(dying.origin, first.purchase, first.payment)])
    await until("the payment is signed and stored", () => settlingIn(operator) > 0)
    expect((await present(survivor.origin, second)).body.code).toBe("DECISION_IN_PROGRESS")
    await dying.kill()
    await cut
    expect((await present(survivor.origin, third)).body.code).toBe("DECISION_IN_PROGRESS")
    await operator.chain.setAutomine(true)
    await operator.chain.mine(1)
    const id = idOf(await presentTo(survivor.origin, first.purchase, first.payment))
    servers = [await operator.serve(SHORT_LEASES), survivor]
    for (const [index, sale] of [second, third, second, third].entries()) await expectCovered(originOf(index), sale, id)
    expect(await paid()).toBe(before + 1)
  })
})

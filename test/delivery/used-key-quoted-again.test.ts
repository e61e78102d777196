/**
 * A rejected payment gets a new quote, and in the UK a person reviews it. So a payer whom the rejected payment proves hears before that quote
 * what the paid call would answer for a used key.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { Hex } from "viem"
import { agentMcp } from "../../schemas/discovery/mcp.ts"
import { authorizeGbPayment } from "../../schemas/gb/payment.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { SECOND } from "../../src/core/time.ts"
import { buyAnswer, type Purchase, signedFor } from "../fixtures/answers.ts"
import { cancelCall, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { signedUnderEarlierQuote } from "../fixtures/earlier-quote.ts"
import { modern } from "../fixtures/mcp.ts"
import { expectProblem } from "../fixtures/problems.ts"
import { PRODUCT_ROWS, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { paymentHeader, type TestServer } from "../fixtures/test-server.ts"
import { openBench, payloadOf } from "./selling-bench.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const PAYER_PRODUCTS = PRODUCT_ROWS.filter(({ recovery }) => recovery === null).map((row) => [row.id, row] as const)

let bench: Awaited<ReturnType<typeof openBench>>
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
  await prepareProducts(server)
})
afterAll(() => bench.close())

const present = ({ path, body, headers }: Purchase, payment: Record<string, string>) =>
  server.post(body, { ...headers, ...payment }, path)

/** A new authorization for this purchase, signed under a quote that has expired. */
const signedTooLate = (row: ProductRow, purchase: Purchase, payer = DEV_ACCOUNTS.payer) =>
  signedUnderEarlierQuote(server, row, purchase, { endsIn: -SECOND, payer })

/** A bought body of the product, and another body with its key. */
async function bought(row: ProductRow) {
  const body = row.body()
  const same = purchaseOf(row, body)
  const changed = purchaseOf(row, row.otherBody(body as never))
  const first = await buyAnswer(server, same)
  expect([row.id, first.status]).toEqual([row.id, 200])
  return { first, same, changed, before: await bench.paid() }
}

describe.each(PAYER_PRODUCTS)("%s: a payer whose quote expired during the review", (_id, row) => {
  test("hears for another body under a used key what the paid call answers, and gets no new quote", async () => {
    const { first, changed, before } = await bought(row)
    const answer = await present(changed, await signedTooLate(row, changed))
    const { execution_id } = await expectProblem(answer, 409, "IDEMPOTENCY_KEY_REUSED")
    expect([execution_id, answer.headers.get("payment-required")]).toEqual([first.answer.execution_id, null])
    expect(await bench.paid()).toBe(before)
  })

  test("gets the answer that was bought for the same body, and no new quote", async () => {
    const { first, same, before } = await bought(row)
    const again = await buyAnswer(server, same, await signedTooLate(row, same))
    expect([again.status, again.answer.execution_id]).toEqual([200, first.answer.execution_id])
    expect(await bench.paid()).toBe(before)
  })
})

const UK = "gb.business.payment.authorize.v1"
const uk = PRODUCT_ROWS.find(({ id }) => id === UK) as ProductRow

test("a payer whose transfer cannot be made now hears of the used key too", async () => {
  const { changed, before } = await bought(uk)
  const payment = await signedFor(server, changed)
  await bench.chain.setBlacklisted(DEV_ACCOUNTS.payer.address, true)
  try {
    await expectProblem(await present(changed, payment), 409, "IDEMPOTENCY_KEY_REUSED")
  } finally {
    await bench.chain.setBlacklisted(DEV_ACCOUNTS.payer.address, false)
  }
  expect(await bench.paid()).toBe(before)
})

test("the same JSON in other bytes is another body of a UK key", async () => {
  const { same } = await bought(uk)
  const text = JSON.stringify(JSON.parse(same.body as string), null, 1)
  const headers = { ...same.headers, "x-cdo-request-body-digest": digestBytes(text) }
  const respaced = { ...same, body: text, headers }
  await expectProblem(await present(respaced, await signedTooLate(uk, respaced)), 409, "IDEMPOTENCY_KEY_REUSED")
})

test("over MCP the tool's result is the same refusal", async () => {
  const { first, changed } = await bought(uk)
  const payment = payloadOf(await signedTooLate(uk, changed))
  const args = JSON.parse(changed.body as string)
  const { body, headers } = modern(
    "tools/call",
    { name: authorizeGbPayment.id, arguments: args },
    { "x402/payment": payment },
  )
  const { result } = await (await server.post(body, headers, agentMcp.path)).json()
  expect([result.isError, JSON.parse(result.content[0].text)]).toMatchObject([
    true,
    { code: "IDEMPOTENCY_KEY_REUSED", execution_id: first.answer.execution_id },
  ])
})

describe("a Payment Decision that was acquired, when its caller pays under a quote that has expired", () => {
  const decision = PRODUCT_ROWS.find(({ recovery }) => recovery !== null) as ProductRow

  test("is delivered again to the payer", async () => {
    const { first, same } = await boughtDecision()
    const again = await buyAnswer(server, same, await signedTooLate(decision, same))
    expect([again.status, again.text]).toEqual([200, first.text])
  })

  test("is not quoted to a caller who cannot sign for the payer", async () => {
    const { same } = await boughtDecision()
    const payment = await signedTooLate(decision, same, DEV_ACCOUNTS.stranger)
    await expectProblem(await present(same, payment), 409, "ALREADY_ACQUIRED")
  })

  async function boughtDecision() {
    const same = purchaseOf(decision, decision.body())
    const first = await buyAnswer(server, same)
    expect(first.status).toBe(200)
    return { first, same }
  }
})

describe("a new quote that says nothing of the key goes to", () => {
  const expectQuote = async (answer: Response, secret: string) => {
    const text = await answer.text()
    expect([answer.status, text.includes(secret), text.includes("IDEMPOTENCY")]).toEqual([402, false, false])
    expect(answer.headers.get("payment-required")).not.toBeNull()
  }

  test("a caller who names a payer and cannot sign for it", async () => {
    const { first, changed } = await bought(uk)
    const signed = payloadOf(await signedTooLate(uk, changed, DEV_ACCOUNTS.stranger))
    const { authorization, signature } = signed.payload
    const named = { signature, authorization: { ...authorization, from: DEV_ACCOUNTS.payer.address } }
    const answer = await present(changed, paymentHeader({ ...signed, payload: named }))
    await expectQuote(answer, first.answer.execution_id)
  })

  test("a caller who copied the authorization that bought the answer", async () => {
    const { first, changed } = await bought(uk)
    const { payload } = payloadOf(first.payment)
    const copied = { ...payloadOf(await signedTooLate(uk, changed)), payload }
    await expectQuote(await present(changed, paymentHeader(copied)), first.answer.execution_id)
  })

  test("a caller who copied an authorization that its payer cancelled on the chain", async () => {
    const { first, changed } = await bought(uk)
    const payment = await signedTooLate(uk, changed)
    const data = await cancelCall(DEV_ACCOUNTS.payer, payloadOf(payment).payload.authorization.nonce as Hex)
    await bench.chain.send(DEV_ACCOUNTS.stranger, { to: USDC_ADDRESS, data })
    await expectQuote(await present(changed, payment), first.answer.execution_id)
  })

  test("a caller with an authorization that pays somebody else", async () => {
    const { first, changed } = await bought(uk)
    const { accepted } = payloadOf(await signedTooLate(uk, changed))
    const to = DEV_ACCOUNTS.stranger.address
    const elsewhere = await signPayment(DEV_ACCOUNTS.payer, accepted, Math.floor(Date.now() / SECOND), { to })
    await expectQuote(await present(changed, paymentHeader(elsewhere)), first.answer.execution_id)
  })

  test("another payer, for whom the key is not used", async () => {
    const { first, changed } = await bought(uk)
    const answer = await present(changed, await signedTooLate(uk, changed, DEV_ACCOUNTS.secondPayer))
    await expectQuote(answer, first.answer.execution_id)
  })
})

test("while the node does not say whether the authorization is unused, no quote is given", async () => {
  const { first, changed } = await bought(uk)
  const payment = await signedTooLate(uk, changed)
  bench.proxy.fault("*", { reject: true })
  try {
    const problem = await expectProblem(await present(changed, payment), 503, "CHAIN_UNAVAILABLE")
    expect(JSON.stringify(problem)).not.toContain(first.answer.execution_id)
  } finally {
    bench.proxy.reset()
  }
})

/**
 * One idempotency key of a payer has one body. Another body, or for UK products the same JSON in other bytes, gets 409 without a charge.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { hash } from "node:crypto"
import { buyAnswer, type Purchase, signedFor, usBody } from "../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { GB_PAYMENT_PATH, gbPaymentBody } from "../fixtures/gb.ts"
import { expectProblem } from "../fixtures/problems.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { paymentHeader, type TestServer } from "../fixtures/test-server.ts"
import { openBench, payloadOf } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

let bench: Awaited<ReturnType<typeof openBench>>
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterAll(() => bench.close())

function ukPurchase(body: { readonly idempotency_key: string }, text = JSON.stringify(body)): Purchase {
  const headers = {
    "idempotency-key": body.idempotency_key,
    "x-cdo-request-body-digest": `sha256:${hash("sha256", text)}`,
  }
  return { path: GB_PAYMENT_PATH, body: text, headers }
}

const present = ({ path, body, headers }: Purchase, payment: Record<string, string>) =>
  server.post(body, { ...headers, ...payment }, path)

/** A bought body, and others with the same key. */
async function bought() {
  const body = gbPaymentBody()
  const same = ukPurchase(body)
  const first = await buyAnswer(server, same)
  expect(first.status).toBe(200)
  return {
    first,
    same,
    changed: ukPurchase({ ...body, amount: "1250.01" } as typeof body),
    respaced: ukPurchase(body, JSON.stringify(body, null, 1)),
  }
}

describe("the payment that bought the answer, when presented again", () => {
  test("with its own bytes gets the answer every time", async () => {
    const { first, same } = await bought()
    const again = await buyAnswer(server, same, first.payment)
    expect(again.text).toBe(first.text.replace('"replayed":false', '"replayed":true'))
  })

  test("with another body or the same JSON in other bytes gets 409 that names no execution", async () => {
    const { first, changed, respaced } = await bought()
    const before = await bench.paid()
    for (const other of [changed, respaced]) {
      const problem = await expectProblem(await present(other, first.payment), 409, "IDEMPOTENCY_KEY_REUSED")
      expect(JSON.stringify(problem)).not.toContain(first.answer.execution_id)
    }
    expect(await bench.paid()).toBe(before)
  })
})

describe("a new authorization of the same payer", () => {
  test("for the same bytes gets the answer and is not used", async () => {
    const { first, same } = await bought()
    const before = await bench.paid()
    const again = await buyAnswer(server, same, await signedFor(server, same))
    expect(again.answer.execution_id).toBe(first.answer.execution_id)
    expect(await bench.paid()).toBe(before)
  })

  test("for another body or other bytes gets 409 that names the execution to the proven payer", async () => {
    const { first, changed, respaced } = await bought()
    const before = await bench.paid()
    for (const other of [changed, respaced]) {
      const answer = await present(other, await signedFor(server, other))
      const { execution_id } = await expectProblem(answer, 409, "IDEMPOTENCY_KEY_REUSED")
      expect(execution_id).toBe(first.answer.execution_id)
    }
    expect(await bench.paid()).toBe(before)
  })

  test("signed for the quote of the bought body and sent with another body also gets 409", async () => {
    const { first, same, changed } = await bought()
    const answer = await present(changed, await signedFor(server, same))
    const { execution_id } = await expectProblem(answer, 409, "IDEMPOTENCY_KEY_REUSED")
    expect(execution_id).toBe(first.answer.execution_id)
  })

  test("with an invalid signature gets 402 and learns nothing", async () => {
    const { first, changed } = await bought()
    const signed = payloadOf(await signedFor(server, changed))
    const { signature, authorization } = signed.payload
    const forged = { signature: `0x${"22".repeat(64)}${signature.slice(-2)}` as const, authorization }
    const answer = await present(changed, paymentHeader({ ...signed, payload: forged } as typeof signed))
    expect(answer.status).toBe(402)
    expect(await answer.text()).not.toContain(first.answer.execution_id)
  })
})

test("a stranger who copies an authorization from the chain learns nothing about the key it paid under", async () => {
  const { first, same, changed } = await bought()
  const { payload } = payloadOf(first.payment)
  for (const quoted of [changed, same]) {
    const copied = { ...payloadOf(await signedFor(server, quoted)), payload, extensions: { copied: true } }
    const problem = await expectProblem(
      await present(changed, paymentHeader(copied as never)),
      409,
      "PAYMENT_NONCE_REUSED",
    )
    expect(JSON.stringify(problem)).not.toContain(first.answer.execution_id)
  }
})

test("another payer may use the same key for another body", async () => {
  const { changed } = await bought()
  const payment = await signedFor(server, changed, DEV_ACCOUNTS.secondPayer)
  expect((await present(changed, payment)).status).toBe(200)
})

test("a row from an older version is compared by its canonical form only", async () => {
  const { first, respaced, changed } = await bought()
  const key = JSON.parse(respaced.body as string).idempotency_key as string
  await server.database.write("UPDATE decision_request SET raw_body_digest = NULL WHERE idempotency_key = ?1", key)
  const again = await present(respaced, first.payment)
  expect([again.status, (await again.json()).execution_id]).toEqual([200, first.answer.execution_id])
  await expectProblem(await present(changed, first.payment), 409, "IDEMPOTENCY_KEY_REUSED")
})

test("a US product treats the same JSON in other bytes as the same request", async () => {
  const body = usBody()
  const path = "/v1/us/company-check"
  const first = await buyAnswer(server, { path, body })
  const respaced = await buyAnswer(server, { path, body: JSON.stringify(body, null, 1) }, first.payment)
  expect(respaced.answer.execution_id).toBe(first.answer.execution_id)
  const changed = { ...body, correlation: { correlation_id: "po-2", trace_id: "run-2" } }
  await expectProblem(await server.post(changed, first.payment, path), 409, "IDEMPOTENCY_KEY_REUSED")
})

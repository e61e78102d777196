/** A stranger who copies a payment from the chain, or reads the log, gets nothing of the answer that it bought. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { openBench, payloadOf, refusedFor } from "../../delivery/selling-bench.ts"
import { buyAnswer, signedFor, usBody } from "../../fixtures/answers.ts"
import { signPayment } from "../../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { paymentHeader, type TestServer } from "../../fixtures/test-server.ts"

setDefaultTimeout(30_000)
const PATH = "/v1/us/company-check"

let bench: Awaited<ReturnType<typeof openBench>>
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterAll(() => bench.close())

test("a stranger who copies an authorization from the chain gets no answer, even with a valid signature", async () => {
  const purchase = { path: PATH, body: usBody() }
  const bought = await buyAnswer(server, purchase)
  const { payload } = payloadOf(bought.payment)
  const quoted = payloadOf(await signedFor(server, purchase))
  const copied = paymentHeader({ ...quoted, payload, extensions: { copied: true } } as typeof quoted)
  const before = await bench.paid()
  const refused = await buyAnswer(server, purchase, copied)
  expect([refused.status, (refused.answer as unknown as { code: string }).code]).toEqual([409, "PAYMENT_NONCE_REUSED"])
  expect(refused.text).not.toContain(bought.answer.delivery_id)
  expect((await buyAnswer(server, purchase, bought.payment)).status).toBe(200)
  expect(await bench.paid()).toBe(before)
})

test("a stranger who copies a used nonce and signs it himself learns nothing about the paid request", async () => {
  const body = usBody()
  const bought = await buyAnswer(server, { path: PATH, body })
  const nonce = payloadOf(bought.payment).payload.authorization.nonce as `0x${string}`
  const told: unknown[] = []
  for (const guess of [body, usBody()]) {
    const { accepted } = payloadOf(await signedFor(server, { path: PATH, body: guess }))
    const wrap = (signature: string) => `0x${"22".repeat(64)}${signature.slice(-2)}` as `0x${string}`
    const forged = await signPayment(DEV_ACCOUNTS.payer, accepted, Math.floor(Date.now() / 1000), { nonce, wrap })
    const answer = await server.post(guess, paymentHeader(forged), PATH)
    told.push([answer.status, refusedFor(answer)])
  }
  expect(told).toEqual(Array(2).fill([402, "invalid_exact_evm_signature"]))
})

test("the log identifies a delivered answer without the id that gives access to it", async () => {
  const { answer } = await buyAnswer(server, { path: PATH, body: usBody() })
  await server.get(`/v1/us/executions/${answer.execution_id}`)
  const lines = JSON.stringify(server.lines)
  expect(lines).toContain(answer.delivery_id)
  expect(lines).not.toContain(answer.execution_id)
})

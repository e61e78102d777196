/** The open members of a payment belong to clients and extensions, and an attempt keeps them. A secret in one of them is refused unpaid. */

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import type { PaymentPayload } from "../../schemas/x402.ts"
import { encodeHeader } from "../../src/payments/payment-header.ts"
import { buyAnswer, signedFor, usBody } from "../fixtures/answers.ts"
import { Draw } from "../fixtures/draw.ts"

import { atLength, sample } from "../fixtures/long.ts"
import { expectProblem } from "../fixtures/problems.ts"
import { secretsAnywhere } from "../fixtures/secrets.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storedText } from "../fixtures/stored-text.ts"
import { decodeHeader, type TestServer } from "../fixtures/test-server.ts"
import { openBench } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)
const PATH = "/v1/us/company-check"

let bench: Awaited<ReturnType<typeof openBench>>
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterAll(() => bench.close())

/** The same signed payment with a text in each open member. */
function withText(payment: PaymentPayload, text: string): [pointer: string, payment: object][] {
  const { accepted } = payment
  return [
    ["/note", { ...payment, note: text }],
    ["/accepted/note", { ...payment, accepted: { ...accepted, note: text } }],
    ["/accepted/extra/note", { ...payment, accepted: { ...accepted, extra: { ...accepted.extra, note: text } } }],
    ["/accepted/scheme", { ...payment, accepted: { ...accepted, scheme: text } }],
    ["/resource/description", { ...payment, resource: { url: "https://buyer.example/", description: text } }],
    ["/extensions/client/trail/0", { ...payment, extensions: { client: { trail: [text] } } }],
    ["/extensions", { ...payment, extensions: { [text]: 1 } }],
  ]
}

test("a payment with a secret is refused with its place, takes no money and leaves no byte of the secret", async () => {
  const purchase = { path: PATH, body: usBody() }
  const headers = await signedFor(server, purchase)
  const payment = decodeHeader<PaymentPayload>(headers["payment-signature"] ?? null)
  const before = await bench.paid()
  const secrets = sample(secretsAnywhere(new Draw("secrets in a payment")), atLength(20, 100)).filter(
    ({ text }) => text.length <= 1024,
  )
  for (const { text, kind } of secrets) {
    for (const [pointer, changed] of withText(payment, text)) {
      const reply = await server.post(purchase.body, { ...headers, "payment-signature": encodeHeader(changed) }, PATH)
      if (pointer === "/accepted/scheme" && text.length > 64) {
        await expectProblem(reply, 400, "PAYMENT_HEADER_MALFORMED")
        continue
      }
      const code = kind === "ACCESS_TOKEN" ? "CREDENTIAL_REJECTED" : "PRIVATE_KEY_MATERIAL_REJECTED"
      const { errors } = await expectProblem(reply, 400, code)
      expect(errors).toMatchObject([{ pointer: `header:Payment-Signature${pointer}`, code: kind }])
    }
  }
  expect(await bench.paid()).toBe(before)
  const kept = (await storedText(bench.database)) + JSON.stringify(server.lines)
  for (const { name, core } of secrets) expect([name, kept.includes(core)]).toEqual([name, false])
  expect((await buyAnswer(server, purchase, headers)).status).toBe(200)
  expect(await bench.paid()).toBe(before + 1)
})

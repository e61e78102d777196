import { afterAll, beforeAll, expect, test } from "bun:test"
import type { SettleStep } from "../../src/payments/settle.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import { decodeHeader, freshRequest, signedHeader } from "../fixtures/test-server.ts"
import { type Bench, openBench, reconcileUntilQuiet } from "./selling-bench.ts"

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

/** A server whose database becomes unreadable after this step of a payment, until it is mended. */
async function breakingAfter(last: SettleStep) {
  let broken = false
  const server = await bench.server({
    trace: (step) => {
      if (step === last) broken = true
    },
  })
  const read = server.store.read.bind(server.store)
  server.store.read = (unit) => (broken ? Promise.reject(new StoreUnavailable("IO")) : read(unit))
  const mend = () => {
    broken = false
  }
  return { server, mend }
}

test("a database that becomes unreadable after the answer is stored does not keep it from its buyer", async () => {
  const { server, mend } = await breakingAfter("settled")
  const before = await bench.paid()
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const answer = await server.post(request, header)
  expect(answer.status).toBe(200)
  mend()
  const again = await server.post(request, header)
  expect([again.status, await again.text()]).toEqual([200, await answer.text()])
  expect(await bench.paid()).toBe(before + 1)
})

test("a database that becomes unreadable after the money moved makes the response 202, never uncharged", async () => {
  const { server, mend } = await breakingAfter("broadcast")
  const before = await bench.paid()
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const answer = await server.post(request, header)
  expect(answer.status).toBe(202)
  expect(decodeHeader<{ errorReason: string }>(answer.headers.get("payment-response")).errorReason).toBe(
    "settlement_pending",
  )
  mend()
  await reconcileUntilQuiet(server)
  expect((await server.post(request, header)).status).toBe(200)
  expect(await bench.paid()).toBe(before + 1)
})

test("a supplier that got a decision under another name since the quote is a collision, and nothing is charged for it", async () => {
  const server = await bench.server()
  const supplier = (legal_name: string, entity_id: string) => ({
    entity_id,
    legal_name,
    identifiers: { lei: "529900T8BM49AURSDO55" },
  })
  const requests = [
    freshRequest({ request: { supplier: supplier("Harbor Light Instruments LLC", "supplier:a") } }),
    freshRequest({ request: { supplier: supplier("Quite Another Company Inc", "supplier:b") } }),
  ]
  const headers = await Promise.all(requests.map((request) => signedHeader(server, request)))
  const before = await bench.paid()
  const first = requests[0]
  const second = requests[1]
  if (!first || !second) throw new Error("two requests")
  expect((await server.post(first, headers[0])).status).toBe(200)
  const late = await server.post(second, headers[1])
  expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([409, "IDENTITY_COLLISION"])
  expect(await bench.paid()).toBe(before + 1)
})

/** The paid routes treat `X-Payment` of x402 version 1 as no header. Only the text of a 402 mentions it. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { buyAnswer, signedFor, usBody } from "../fixtures/answers.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, staticBoard, type TestServer } from "../fixtures/test-server.ts"
import { openBench, problemOf, reconcileUntilQuiet, refusedFor, settlementOf } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)
const PATH = "/v1/us/company-check"
const OLD = { "x-payment": Buffer.from('{"x402Version":1}').toString("base64") }

let bench: Awaited<ReturnType<typeof openBench>>
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server({ settleWaitMs: 400 })
})
afterAll(() => bench.close())

test("a version 1 header alone gets the quote of a call without a header, and the quote says that version 1 is not read", async () => {
  const body = usBody()
  const [plain, old] = [await server.post(body, {}, PATH), await server.post(body, OLD, PATH)]
  expect([plain.status, old.status]).toEqual([402, 402])
  expect(refusedFor(plain)).toBe("PAYMENT-SIGNATURE header is required")
  expect(refusedFor(old)).toContain("version 1 is not read")
})

test("a version 1 header beside a payment of version 2 is ignored", async () => {
  const purchase = { path: PATH, body: usBody() }
  const payment = await signedFor(server, purchase)
  const before = await bench.paid()
  const bought = await buyAnswer(server, purchase, { ...payment, ...OLD })
  expect([bought.status, await bench.paid()]).toEqual([200, before + 1])
})

test("a version 1 header gets 202 with an unknown outcome and never a quote while a payment settles", async () => {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  await bench.chain.setAutomine(false)
  const answers = [await server.post(request, header), await server.post(request), await server.post(request, OLD)]
  const old = answers[2] as Response
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  expect(old.headers.get("payment-required")).toBeNull()
  expect(settlementOf(old)).toMatchObject({ success: false, errorReason: "settlement_pending" })
  await bench.chain.setAutomine(true)
  await bench.chain.mine(1)
  await reconcileUntilQuiet(server)
  expect((await server.post(request, header)).status).toBe(200)
})

test("a version 1 header after the purchase gets 409 with the advice to recover the answer, like a call without a header", async () => {
  const request = freshRequest()
  expect((await server.post(request, await signedHeader(server, request))).status).toBe(200)
  const before = await bench.paid()
  for (const headers of [{}, OLD]) {
    const answer = await server.post(request, headers)
    expect([answer.status, (await problemOf(answer)).code]).toEqual([409, "ALREADY_ACQUIRED"])
  }
  expect(await bench.paid()).toBe(before)
})

test("a version 1 header gets the same uncharged answer where a source is unavailable", async () => {
  const board = staticBoard([], (state) => ({ ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] }))
  const broken = await bench.server({ board })
  const answers = await Promise.all([{}, OLD].map((headers) => broken.post(usBody(), headers, PATH)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  for (const answer of answers) expect(await answer.json()).toMatchObject({ economic_activity: { charged: false } })
})

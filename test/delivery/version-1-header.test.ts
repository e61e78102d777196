/** `X-Payment` of x402 version 1 counts as no header in every answer of the paid routes; only the words of a 402 tell of it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { buyAnswer, signedFor, usBody } from "../fixtures/answers.ts"
import { type House, staticBoard } from "../fixtures/selling-house.ts"
import { openBench, refusedFor } from "./selling-bench.ts"

setDefaultTimeout(30_000)
const PATH = "/v1/us/company-check"
const OLD = { "x-payment": Buffer.from('{"x402Version":1}').toString("base64") }

let bench: Awaited<ReturnType<typeof openBench>>
let house: House
beforeAll(async () => {
  bench = await openBench()
  house = await bench.house()
})
afterAll(() => bench.close())

test("alone it gets the quote of a call without a header, which says that version 1 is not read", async () => {
  const body = usBody()
  const [plain, old] = [await house.post(body, {}, PATH), await house.post(body, OLD, PATH)]
  expect([plain.status, old.status]).toEqual([402, 402])
  expect(refusedFor(plain)).toBe("PAYMENT-SIGNATURE header is required")
  expect(refusedFor(old)).toContain("version 1 is not read")
})

test("beside a payment of version 2 it is ignored", async () => {
  const purchase = { path: PATH, body: usBody() }
  const payment = await signedFor(house, purchase)
  const before = await bench.paid()
  const bought = await buyAnswer(house, purchase, { ...payment, ...OLD })
  expect([bought.status, await bench.paid()]).toEqual([200, before + 1])
})

test("where a source is down it gets the same uncharged answer", async () => {
  const board = staticBoard([], (state) => ({ ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] }))
  const broken = await bench.house({ board })
  const answers = await Promise.all([{}, OLD].map((headers) => broken.post(usBody(), headers, PATH)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  for (const answer of answers) expect(await answer.json()).toMatchObject({ economic_activity: { charged: false } })
})

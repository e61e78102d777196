/** The duty to review a quote, and the limit of a UK answer: the same over every channel that names them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { agentMcp } from "../../schemas/discovery/mcp.ts"
import { PRODUCT_OPERATIONS } from "../../schemas/product-operations.ts"
import { reviewDutyOf } from "../../src/core/discovery/review-duty.ts"
import { type AnswerTestServer, answerTestServer } from "../fixtures/answer-test-server.ts"
import { buyAnswer, signedFor } from "../fixtures/answers.ts"
import { modern } from "../fixtures/mcp.ts"
import { EACH_PRODUCT, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { enterBuyer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

const LIMITED = "HUMAN_REVIEW_OF_LIMITED_RESULT"

let given: AnswerTestServer
beforeAll(async () => {
  given = await answerTestServer()
  await enterBuyer(given.server)
  await prepareProducts(given.server)
})
afterAll(() => given[Symbol.asyncDispose]())

interface Quote {
  readonly svc: { readonly review_duty: string }
}

async function quotes({ country, path, body }: ProductRow): Promise<{ http: Quote; mcp: Quote }> {
  const { id = "" } = PRODUCT_OPERATIONS.find(({ paid }) => paid.path === path)?.paid ?? {}
  const request = body()
  const purchase = purchaseOf({ country, path }, request)
  const overHttp = await given.server.post(purchase.body, purchase.headers, path)
  const sent = modern("tools/call", { name: id, arguments: request })
  const overMcp = await given.server.post(sent.body, sent.headers, agentMcp.path)
  const { result } = (await overMcp.json()) as { result: { structuredContent: Quote } }
  return { http: (await overHttp.json()) as Quote, mcp: result.structuredContent }
}

describe.each(EACH_PRODUCT)("%s", (_id, row) => {
  test("names its duty to review in the quotes of HTTP and of MCP", async () => {
    const { http, mcp } = await quotes(row)
    const duty = reviewDutyOf(row.country)
    expect([http.svc.review_duty, mcp.svc.review_duty]).toEqual([duty, duty])
  })
})

describe.each(EACH_PRODUCT.filter(([, { country }]) => country === "GB"))("%s", (_id, row) => {
  test("says in every answer that a person reviews it: sold, uncharged, and returned again", async () => {
    const purchase = purchaseOf(row, row.body())
    const payment = await signedFor(given.server, purchase)
    for (const _ of ["sold", "again"]) {
      const { status, answer } = await buyAnswer(given.server, purchase, payment)
      expect([status, answer.limitations.includes(LIMITED)]).toEqual([200, true])
    }
    // Each fault takes the same way to an uncharged answer.
    const [fault] = row.sourceFaults
    await using failing = await answerTestServer(fault?.broken)
    await row.prepare?.(failing.server)
    const unsold = purchaseOf(row, row.body())
    const answer = await failing.server.post(unsold.body, unsold.headers, row.path)
    const { decision, limitations } = (await answer.json()) as { decision: string; limitations: string[] }
    expect([["RETRY", "NO_DECISION"].includes(decision), limitations.includes(LIMITED)]).toEqual([true, true])
  })
})

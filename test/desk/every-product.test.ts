/** A held answer of each product has its page at the desk, and a judgement of its hits lifts the next answer. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { listCases } from "../../src/store/review/review-cases.ts"
import { buyAnswer } from "../fixtures/answers.ts"
import { headingIn, textOf } from "../fixtures/desk.ts"
import { gbCompany, gbSources } from "../fixtures/gb.ts"
import { type JudgedDesk, openJudgedDesk } from "../fixtures/judged-desk.ts"
import { PRODUCT_ROWS, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(180_000)

/** Resembles the company of all US bodies. */
const SIMILAR = { number: 90210, name: "HARBOR LIGHT INSTRUMENTS OVERSEAS LLC", programs: ["SDGT"] }

let own: JudgedDesk
beforeAll(async () => {
  const former = [{ name: "GRANITE FJORD", ceased_on: "2020-01-01" }]
  own = await openJudgedDesk({ gb: gbSources({ companies: [gbCompany({ previous_company_names: former })] }) })
  await prepareProducts(own.at.server)
})
afterAll(() => own[Symbol.asyncDispose]())

async function buy(row: ProductRow): Promise<{ readonly decision: string }> {
  const { status, text } = await buyAnswer(own.at.server, purchaseOf(row, row.body()))
  if (status !== 200) throw new Error(`${row.id}: ${status} ${text}`)
  return JSON.parse(text)
}

test("the desk shows a held answer of each product, and a reviewer judges all its hits", async () => {
  const { at, desk } = own
  await at.bring(["US_OFAC_SDN"], { extraSdn: [SIMILAR] })
  await own.reload()
  for (const row of PRODUCT_ROWS) await buy(row)
  await own.openCases()
  const { cases } = await desk.store.read(() => listCases({ order: "AGE", states: ["OPEN"], after: null, limit: 50 }))
  expect(cases.map(({ product }) => product).toSorted()).toEqual(PRODUCT_ROWS.map(({ id }) => id).toSorted())
  const ann = await desk.reviewer("Ann")
  for (const { caseNumber, product } of cases) {
    const queue = await ann.get(`/?product=${product}`)
    expect([product, queue.text.match(/(?<=href="\/cases\/)\d+/g)]).toEqual([product, [String(caseNumber)]])
    const page = await ann.get(`/cases/${caseNumber}`)
    expect([product, page.status, headingIn(page)]).toEqual([
      product,
      200,
      expect.stringMatching(/^Do not (pay|go on): hold$/),
    ])
    expect([product, textOf(page)]).toEqual([product, expect.stringContaining("the next answer would be")])
    const hits = page.text.match(/name="hit" value="\d+"/g) ?? []
    expect([product, hits.length > 0]).toEqual([product, true])
    for (const hit of hits) {
      const number = /\d+/.exec(hit)?.[0] ?? ""
      // Two products ask for one party, so the second judgement exists already.
      const judged = await ann.judge(caseNumber, { hit: number }).catch((error: Error) => error.message)
      expect([product, judged]).toEqual([
        product,
        typeof judged === "number" ? judged : expect.stringContaining("says so already"),
      ])
    }
  }
  await own.reload()
  for (const { caseNumber, product } of cases) {
    const text = textOf(await ann.get(`/cases/${caseNumber}`))
    expect([product, /the next answer would be (REVIEW|HOLD)\b/.test(text)]).toEqual([product, false])
  }
  for (const row of PRODUCT_ROWS) {
    const { decision } = await buy(row)
    expect([row.id, decision === "REVIEW" || decision === "HOLD"]).toEqual([row.id, false])
  }
})

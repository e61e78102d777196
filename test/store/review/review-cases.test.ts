/** The list of cases that wait: its steps over what was sold, its orders, and its speed at 100,000 cases. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { openNextCases } from "../../../src/review/open-cases.ts"
import {
  type CaseOrder,
  type CasePlace,
  findCase,
  listCases,
  nextReviewStep,
  openCases,
} from "../../../src/store/review/review-cases.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { newCase, reviewService, withCases } from "../../fixtures/review-service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const slow = slowTests(import.meta.path)

const RARE = "gb.vendor.payment_detail_change.authorize.v1"
/** Of 50 cases, without the last one. */
const RARE_PAGES = 19

let opened: TestStore
beforeEach(async () => {
  opened = await newStore()
})
afterEach(() => opened.close())

const pageOf = (unit: () => ReturnType<typeof listCases>) => opened.store.read(unit)
const numbersIn = async (order: CaseOrder, limit: number, product: string | null = null) => {
  const pages: number[][] = []
  let after: CasePlace | null = null
  do {
    const from: CasePlace | null = after
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(() =>
      listCases({ order, states: ["OPEN", "PROPOSED"], product, after: from, limit }),
    )
    pages.push(page.cases.map(({ caseNumber }) => caseNumber))
    after = page.next
  } while (after)
  return pages
}

test("age, amount and score, each in pages that miss none and repeat none, over two states", async () => {
  const { deps } = reviewService(opened.store)
  await withCases(deps, 7)
  await opened.write("UPDATE review_case SET state = 'PROPOSED' WHERE case_number IN (2, 5)")
  await opened.write("UPDATE review_case SET state = 'CLOSED' WHERE case_number = 3")
  await opened.write("UPDATE review_case SET score_permille = 950 WHERE case_number IN (1, 6)")
  // The case with the greatest number is the oldest.
  expect(await numbersIn("AGE", 2)).toEqual([
    [7, 6],
    [5, 4],
    [2, 1],
  ])
  expect(await numbersIn("AMOUNT", 4)).toEqual([
    [7, 6, 5, 4],
    [2, 1],
  ])
  expect(await numbersIn("SCORE", 3)).toEqual([
    [6, 1, 7],
    [5, 4, 2],
  ])
  expect(await numbersIn("AGE", 6)).toEqual([[7, 6, 5, 4, 2, 1]])
  await opened.write("UPDATE review_case SET product = 'us.company.check.v1' WHERE case_number IN (1, 3, 4, 5)")
  await opened.write("UPDATE review_case SET product = 'us.invoice_payee.verify.v1' WHERE case_number IN (2, 6, 7)")
  expect(await numbersIn("AGE", 2, "us.company.check.v1")).toEqual([[5, 4], [1]])
  expect(await numbersIn("AMOUNT", 2, "us.company.check.v1")).toEqual([[5, 4], [1]])
  expect(await numbersIn("SCORE", 2, "us.company.check.v1")).toEqual([[1, 5], [4]])
  expect(await numbersIn("SCORE", 2, "us.invoice_payee.verify.v1")).toEqual([[6, 7], [2]])
  expect(await numbersIn("AGE", 2, RARE)).toEqual([[]])
})

test("two processes that open the same step give each answer one case and one number", async () => {
  const step = { from: 0, to: 5 }
  const cases = [newCase(1), newCase(2)]
  expect(await opened.store.run(() => openCases(step, cases), "sequencing")).toBe(true)
  const other = await opened.another()
  expect(await other.run(() => openCases(step, cases), "sequencing")).toBe(false)
  expect(await opened.count("review_case")).toBe(2)
  expect(await opened.store.read(() => nextReviewStep(() => true))).toBeNull()
  expect(await openNextCases(opened.store)).toBe(false)
  // The same answer again, in a later step: it keeps its case.
  expect(await opened.store.run(() => openCases({ from: 5, to: 9 }, [newCase(2), newCase(3)]), "sequencing")).toBe(true)
  expect(await opened.count("review_case")).toBe(3)
  expect((await opened.store.read(() => findCase(2)))?.requestId).toBe("req_2")
})

slow(
  "at 100,000 open cases a page of each order takes at most 20 ms",
  async () => {
    const { deps } = reviewService(opened.store)
    for (let from = 0; from < 100_000; from += 10_000) {
      const place = (await deps.store.read(() => nextReviewStep(() => true)))?.from ?? 0
      // One case of a hundred is of another product.
      const other = (number: number) => (number % 100 === 0 ? { product: RARE } : {})
      const cases = Array.from({ length: 10_000 }, (_, at) => newCase(from + at + 1, other(from + at + 1)))
      await deps.store.run(() => openCases({ from: place, to: place }, cases), "sequencing")
    }
    expect(await opened.count("review_case")).toBe(100_000)
    const orders = ["AGE", "AMOUNT", "SCORE"] as const
    for (const [order, product] of orders.flatMap((one) => [[one, null] as const, [one, RARE] as const])) {
      const page = (after: CasePlace | null) =>
        opened.store.read(() => listCases({ order, states: ["OPEN", "PROPOSED"], product, after, limit: 50 }))
      let after = (await page(null)).next
      const times: number[] = []
      for (let at = 0; at < (product ? RARE_PAGES : 40); at++) {
        const begun = performance.now()
        const found = await page(after)
        times.push(performance.now() - begun)
        after = found.next
      }
      const median = times.toSorted((one, other) => one - other)[times.length >> 1] ?? Number.POSITIVE_INFINITY
      expect([order, product, median < 20]).toEqual([order, product, true])
    }
  },
  120_000,
)
